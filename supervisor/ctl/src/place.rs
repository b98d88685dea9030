//! Where everything is: options, environment, and the memex that the configuration names. Client and daemon must come
//! to the same places, so both go through here.

use crate::{Failure, args::Places};
use std::path::{Path, PathBuf};
use supervisor::{
    paths::{Paths, Wishes},
    settings::Settings,
};

/// Reads what the environment says about places.
#[must_use]
pub fn environment() -> Wishes {
    // An empty variable is as good as none, and a relative one is to be ignored (XDG base directory specification).
    let path = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Wishes {
        home: std::env::home_dir().filter(|home| home.is_absolute()),
        xdg_state: path("XDG_STATE_HOME"),
        xdg_config: path("XDG_CONFIG_HOME"),
        xdg_runtime: path("XDG_RUNTIME_DIR"),
        ..Wishes::default()
    }
}

/// Puts options before the environment.
pub(crate) fn wishes(places: Places, environment: Wishes) -> Wishes {
    let Places { memex, config, state_dir, runtime_dir } = places;
    let config = config.map(|path| std::path::absolute(&path).unwrap_or(path));
    Wishes {
        memex: memex.or(environment.memex),
        config: config.or(environment.config),
        state: state_dir.or(environment.state),
        runtime: runtime_dir.or(environment.runtime),
        ..environment
    }
}

/// Finds the places.
pub(crate) fn find(wishes: &Wishes) -> Result<Paths, Failure> {
    let text = Paths::config_file(wishes).and_then(|file| std::fs::read_to_string(file).ok());
    let memex = text.and_then(|text| configured(&text));
    let memex = memex.as_deref().map(Path::new).filter(|memex| {
        // Without a home there is no place that begins with it.
        wishes.home.is_some() || !memex.starts_with("~")
    });
    Ok(Paths::find(wishes, memex)?)
}

/// Returns the memex that a configuration names. A file with a fault is asked all the same: the daemon that runs was
/// started before the fault came in, and must be found to be told of it.
fn configured(text: &str) -> Option<String> {
    if let Ok(settings) = Settings::parse(text, "") {
        return Some(settings.memex);
    }
    let top = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
    let values = top.filter_map(|line| line.strip_prefix("memex")?.trim_start().strip_prefix('='));
    let value = values.last()?.trim_start();
    let quote = value.chars().next().filter(|c| ['"', '\''].contains(c))?;
    value.split(quote).nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memex_is_found_in_a_file_with_a_fault() {
        for (text, memex) in [
            ("memex = \"/a\"\n", Some("/a")),
            ("memex = \"/a\"\nmemx = 3\n", Some("/a")),
            (" memex='/b' # mine\nnonsense\n[log]\nmemex = \"/c\"\n", Some("/b")),
            ("memexes = \"/a\"\n= =\n", None),
            ("memex = 7\n", None),
        ] {
            assert_eq!(configured(text).as_deref(), memex, "{text}");
        }
    }

    #[test]
    fn options_go_before_the_environment() {
        let places = Places { state_dir: Some("/s".into()), ..Places::default() };
        let environment =
            Wishes { state: Some("/other".into()), home: Some("/home/anna".into()), ..Wishes::default() };
        let paths = find(&wishes(places, environment)).unwrap();
        assert_eq!(paths.state, Path::new("/s"));
        assert_eq!(paths.runtime, Path::new("/s/run"));
        assert_eq!(paths.memex, Path::new("/home/anna/memex"));
    }
}
