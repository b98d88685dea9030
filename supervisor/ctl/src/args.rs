//! The command line as data. What the words do is decided elsewhere.

use crate::failure::EXIT_CODES;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

/// A self-hosted personal assistant that loses nothing
#[derive(Debug, Parser)]
#[command(name = "passepartout", version, after_help = EXIT_CODES)]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub struct Cli {
    /// Where everything is.
    #[command(flatten)]
    pub places: Places,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that say where everything is.
#[derive(Debug, Args, Default)]
pub struct Places {
    /// Folder of your Org files [default: as configured, or ~/memex]
    #[arg(long, global = true, value_name = "DIR")]
    pub memex: Option<PathBuf>,
    /// Configuration file [default: passepartout/config.toml in your configuration folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder of journal and logs [default: one per memex in your state folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Folder of the sockets [default: one per memex in your runtime folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub runtime_dir: Option<PathBuf>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk; starts the daemon when none runs
    Chat(Talk),
    /// Ask once, print the answer, exit; starts the daemon when none runs
    Ask(Ask),
    /// Run the daemon in the foreground
    Up,
    /// Look at the daemon and steer it
    #[command(after_help = EXIT_CODES)]
    Ctl {
        /// What the operator wants.
        #[command(subcommand)]
        verb: Ctl,
    },
    /// Check the configuration, or show all that can be set
    Config {
        /// Which of the two.
        #[command(subcommand)]
        what: Config,
    },
    /// Print the completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print the manual page, or write all of them into a folder
    Man {
        /// Where to
        dir: Option<PathBuf>,
    },
    /// Print the version of this program
    Version,
}

/// Options of both clients.
#[derive(Debug, Args, Clone)]
pub struct Talk {
    /// The conversation; what it is about is remembered per conversation
    #[arg(long, default_value = "local", value_name = "NAME")]
    pub conversation: String,
    /// Do not start the daemon when none runs
    #[arg(long)]
    pub no_spawn: bool,
}

/// Options of `ask`.
#[derive(Debug, Args)]
pub struct Ask {
    /// Options that it shares with `chat`.
    #[command(flatten)]
    pub talk: Talk,
    /// Print one JSON object: turn, message, conversation, answer
    #[arg(long)]
    pub json: bool,
    /// How long to wait for the answer
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub timeout: u32,
    /// What to say; `-`, or nothing with something piped in, reads it from stdin
    pub text: Vec<String>,
}

/// What the operator wants.
#[derive(Debug, Subcommand)]
pub enum Ctl {
    /// How everything is
    Status {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
        /// Print it again each second
        #[arg(long)]
        watch: bool,
    },
    /// How everything is, on the whole screen, each second
    Top,
    /// The last log lines
    Tail {
        /// How many
        #[arg(short = 'n', long, default_value_t = 50)]
        lines: u16,
        /// Go on with those that come
        #[arg(short, long)]
        follow: bool,
    },
    /// What happened to a turn
    Trace {
        /// Its key, or the beginning of it
        turn: String,
    },
    /// Who may say what to whom
    Routes,
    /// Start an actor that was stopped or has failed
    Start {
        /// Which
        role: String,
    },
    /// Stop an actor; it stays down until it is started
    Stop {
        /// Which
        role: String,
    },
    /// Stop an actor and start it again
    Restart {
        /// Which
        role: String,
    },
    /// Finish what is in hand and stop the daemon
    Drain,
    /// Read the configuration again
    Reload,
    /// Turns that were set aside because they did harm
    Parked {
        /// What to do with them.
        #[command(subcommand)]
        what: Parked,
    },
    /// Effects that may or may not have happened
    Uncertain {
        /// What to do with them.
        #[command(subcommand)]
        what: Uncertain,
    },
    /// The file that everything accepted stands in
    Journal {
        /// What to do with it.
        #[command(subcommand)]
        what: Journal,
    },
    /// The memex as it was: one snapshot for each turn that wrote and for changes by others
    Snapshots {
        /// How many
        #[arg(short = 'n', long, default_value_t = 20)]
        limit: u16,
        /// Something else than to list them.
        #[command(subcommand)]
        what: Option<Snapshots>,
    },
    /// What changed between two snapshots, or since one
    Diff {
        /// The older one: its number, its name, or the beginning of its turn's key
        from: String,
        /// The newer one; without it, the memex as it is
        to: Option<String>,
    },
    /// Every version of one entry that is still known
    History {
        /// The entry: its title, words of it, its ID or a link
        #[arg(required = true)]
        entry: Vec<String>,
    },
    /// Counts of the memex: entries by state, orphans, broken links, largest files
    Memory,
    /// Take back what a turn wrote, or with --to put back what a snapshot holds; itself a turn that can be taken back
    Rollback {
        /// The turn's key, or the beginning of it
        #[arg(required_unless_present = "to", conflicts_with = "to")]
        turn: Option<String>,
        /// A snapshot: its number, its name, or the beginning of its turn's key
        #[arg(long, value_name = "SNAPSHOT")]
        to: Option<String>,
        /// Only this file of it
        #[arg(long, requires = "to", conflicts_with = "entry")]
        file: Option<String>,
        /// Only this entry of it
        #[arg(long, requires = "to")]
        entry: Option<String>,
    },
    /// Say something as the owner, in the conversation `operator`
    Inject {
        /// What
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Examine everything and say what to do; code 1 when something is bad
    Doctor,
    /// The version of the daemon
    Version,
}

/// What to do with snapshots.
#[derive(Debug, Subcommand)]
pub enum Snapshots {
    /// Give one a name, which keeps it for ever
    Keep {
        /// Which one: its number or the beginning of its turn's key
        snapshot: String,
        /// The name
        name: String,
    },
    /// Check every object of the store against its hash
    Verify,
}

/// What to do with parked turns.
#[derive(Debug, Subcommand)]
pub enum Parked {
    /// Show them
    List,
    /// Try one again
    Retry {
        /// Its key, or the beginning of it
        turn: String,
    },
    /// Give one up
    Drop {
        /// Its key, or the beginning of it
        turn: String,
    },
}

/// What to do with uncertain effects.
#[derive(Debug, Subcommand)]
pub enum Uncertain {
    /// Show them
    List,
    /// You have looked: it happened
    Happened {
        /// Key of the turn, or the beginning of it
        turn: String,
    },
    /// You have looked: it did not happen
    DidNot {
        /// Key of the turn, or the beginning of it
        turn: String,
    },
}

/// What to do with the journal.
#[derive(Debug, Subcommand)]
pub enum Journal {
    /// Check every record
    Verify,
    /// Keep what can be read of a damaged one; the daemon must not run
    Repair,
}

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// Say everything that is wrong with it
    Check {
        /// Another file than the one in use
        file: Option<PathBuf>,
    },
    /// Print a file with everything that can be set, explained
    Example,
}

#[cfg(test)]
mod tests;
