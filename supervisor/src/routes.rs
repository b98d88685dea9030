//! The route table for people: `ctl routes` prints it, ARCHITECTURE.md quotes it, a test compares the two.

use protocol::route::{Exchange, ROUTES};

/// Returns the route table as lines for people; ARCHITECTURE.md quotes it and a test compares.
#[must_use]
pub fn routes() -> Vec<String> {
    let line = |route: &protocol::route::Route| {
        let way = format!("{} -> {}", route.from, route.to);
        let exchange = match route.exchange {
            Exchange::Tell => "tell".to_owned(),
            Exchange::Ask(kind) => format!("ask, {kind:?} answers"),
            Exchange::Answer(kind) => format!("answers {kind:?}"),
        };
        format!("{:<10} {way:<28} {exchange:<24} {:>6} ms", format!("{:?}", route.kind), route.deadline_ms)
    };
    ROUTES.iter().map(line).collect()
}
