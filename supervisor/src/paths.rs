//! Where an instance keeps its things. One instance per memex, so that a second memex gets a daemon of its own.

use rustix::fs::{FileType, Mode};
use sha2::{Digest as _, Sha256};
use std::{
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

/// Longest path of a socket in bytes: the kernel takes 107, and other libraries differ by one.
const SOCKET_PATH_MAX: usize = 100;

/// What the command line and the environment say; read by the two places that may.
#[derive(Debug, Default, Clone)]
pub struct Wishes {
    /// `--memex`.
    pub memex: Option<PathBuf>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--state-dir`.
    pub state: Option<PathBuf>,
    /// `--runtime-dir`.
    pub runtime: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_STATE_HOME`.
    pub xdg_state: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`.
    pub xdg_runtime: Option<PathBuf>,
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The owner's folder.
    pub memex: PathBuf,
    /// The configuration file, which need not be there.
    pub config: PathBuf,
    /// Journal, locks, memory's store.
    pub state: PathBuf,
    /// Sockets.
    pub runtime: PathBuf,
}

/// Why the places cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither an option nor `HOME` says where.
    #[error("no place for {0}: set HOME or give --{0}")]
    Nowhere(&'static str),
    /// A folder cannot be made or looked at.
    #[error("folder {path}")]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Somebody else could put things there.
    #[error(
        "{path} is not a folder of yours alone (owner {owner}, mode {mode:o}): chmod 700 it, or give another one"
    )]
    Shared {
        /// Which.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Its mode.
        mode: u32,
    },
    /// A socket there would have too long a name.
    #[error("{path} is longer than {SOCKET_PATH_MAX} bytes: give a shorter --runtime-dir")]
    TooLong {
        /// The socket.
        path: PathBuf,
    },
}

impl Paths {
    /// Finds the places. `configured` is the memex that the configuration file names, if it does.
    ///
    /// # Errors
    /// [`Error::Nowhere`] when neither options nor environment say where.
    pub fn find(wishes: &Wishes, configured: Option<&Path>) -> Result<Self, Error> {
        let home = wishes.home.as_deref();
        let default = home.map(|home| home.join("memex"));
        let memex = wishes
            .memex
            .clone()
            .or_else(|| configured.map(|path| expand(path, home)))
            .or_else(|| default.clone())
            .ok_or(Error::Nowhere("memex"))?;
        let memex = absolute(&memex);
        let instance = if default.as_deref().map(absolute) == Some(memex.clone()) {
            "default".to_owned()
        } else {
            let digest: [u8; 32] = Sha256::digest(memex.as_os_str().as_encoded_bytes()).into();
            let hash: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
            format!("memex-{hash}")
        };
        let below = |xdg: &Option<PathBuf>, fallback: &str| {
            let base = xdg.clone().or_else(|| home.map(|home| home.join(fallback)));
            base.map(|base| base.join("passepartout"))
        };
        let config = Self::config_file(wishes).ok_or(Error::Nowhere("config"))?;
        let state = match &wishes.state {
            Some(state) => absolute(state),
            None => {
                below(&wishes.xdg_state, ".local/state").ok_or(Error::Nowhere("state-dir"))?.join(&instance)
            }
        };
        let runtime = match (&wishes.runtime, &wishes.state, &wishes.xdg_runtime) {
            (Some(runtime), _, _) => absolute(runtime),
            // A state of one's own is an instance of one's own.
            (None, Some(state), _) => absolute(state).join("run"),
            (None, None, Some(xdg)) => xdg.join("passepartout").join(&instance),
            (None, None, None) => {
                let uid = rustix::process::getuid().as_raw();
                PathBuf::from(format!("/tmp/passepartout-{uid}")).join(&instance)
            }
        };
        Ok(Self { memex, config, state, runtime })
    }

    /// Returns the configuration file that the wishes lead to.
    #[must_use]
    pub fn config_file(wishes: &Wishes) -> Option<PathBuf> {
        let fallback = || wishes.home.as_ref().map(|home| home.join(".config"));
        wishes.config.clone().or_else(|| {
            let base = wishes.xdg_config.clone().or_else(fallback)?;
            Some(base.join("passepartout/config.toml"))
        })
    }

    /// Makes the folders for one person alone, and refuses those that are not.
    ///
    /// # Errors
    /// [`Error::Folder`], [`Error::Shared`], [`Error::TooLong`].
    pub fn prepare(&self) -> Result<(), Error> {
        for path in [&self.state, &self.runtime] {
            make_private(path)?;
        }
        for socket in [self.ctl_socket(), self.local_socket()] {
            if socket.as_os_str().len() > SOCKET_PATH_MAX {
                return Err(Error::TooLong { path: socket });
            }
        }
        Ok(())
    }

    /// The operator's socket.
    #[must_use]
    pub fn ctl_socket(&self) -> PathBuf {
        self.runtime.join("ctl.sock")
    }

    /// The people's socket.
    #[must_use]
    pub fn local_socket(&self) -> PathBuf {
        self.runtime.join("local.sock")
    }

    /// Folder of the journal.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.state.join("journal")
    }

    /// Folder of memory's store.
    #[must_use]
    pub fn memory(&self) -> PathBuf {
        self.state.join("memory")
    }

    /// Where the daemon says why it did not start, for `ctl` to read when nobody answers.
    #[must_use]
    pub fn last_words(&self) -> PathBuf {
        self.state.join("last-words.txt")
    }
}

fn make_private(path: &Path) -> Result<(), Error> {
    let fault = |source| Error::Folder { path: path.into(), source };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(fault)?;
    let meta = std::fs::symlink_metadata(path).map_err(fault)?;
    let own = meta.uid() == rustix::process::getuid().as_raw();
    let private = FileType::from_raw_mode(meta.mode()) == FileType::Directory
        && !Mode::from_raw_mode(meta.mode()).intersects(Mode::RWXG | Mode::RWXO);
    if own && private {
        Ok(())
    } else {
        Err(Error::Shared { path: path.into(), owner: meta.uid(), mode: meta.mode() & 0o7777 })
    }
}

fn expand(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        (Ok(_) | Err(_), _) => path.into(),
    }
}

/// Makes a path absolute and resolves links as far as it is there, so that one memex has one name.
fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes() -> Wishes {
        Wishes { home: Some("/home/anna".into()), ..Wishes::default() }
    }

    #[test]
    fn defaults_follow_xdg() {
        let paths = Paths::find(&wishes(), None).unwrap();
        assert_eq!(paths.memex, Path::new("/home/anna/memex"));
        assert_eq!(paths.state, Path::new("/home/anna/.local/state/passepartout/default"));
        assert_eq!(paths.config, Path::new("/home/anna/.config/passepartout/config.toml"));
    }

    #[test]
    fn another_memex_is_another_instance() {
        let one = Paths::find(&Wishes { memex: Some("/a".into()), ..wishes() }, None).unwrap();
        let two = Paths::find(&Wishes { memex: Some("/b".into()), ..wishes() }, None).unwrap();
        assert_ne!(one.state, two.state);
        assert_ne!(one.runtime, two.runtime);
    }

    #[test]
    fn tilde_in_the_configured_memex_is_the_home_folder() {
        let paths = Paths::find(&wishes(), Some(Path::new("~/notes"))).unwrap();
        assert_eq!(paths.memex, Path::new("/home/anna/notes"));
    }

    #[test]
    fn socket_path_that_is_too_long_is_refused_with_advice() {
        let dir = std::env::temp_dir().join(format!("pp-{}-{}", std::process::id(), "x".repeat(90)));
        let paths =
            Paths { state: dir.clone(), runtime: dir.clone(), ..Paths::find(&wishes(), None).unwrap() };
        let error = paths.prepare().unwrap_err();
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(error.to_string().contains("--runtime-dir"), "{error}");
    }
}
