//! What the crate reads, in the words of the oracle.

use org::{
    BlockKind, Checkbox, Cookie, Doc, DrawerKind, LinkFormat, Moment, Objects, Planning, Settings, Span,
    StampKind, TargetKind, Timestamp, objects, scan,
};
use serde_json::{Value, json};

/// Returns everything the oracle tells about a file.
pub fn shape(bytes: &[u8]) -> Value {
    let doc = scan(bytes);
    let found = objects(bytes, &doc);
    let settings = Settings::of(bytes, &found);
    let words = |done: bool| todo_words(&doc, &settings, done);
    let drawer = doc.drawer;
    json!({
        "bom": bytes.starts_with(b"\xEF\xBB\xBF"),
        "crlf": doc.newline == org::Newline::CrLf,
        "todo_keywords.active": words(false),
        "todo_keywords.done": words(true),
        "file_tags": settings.file_tags,
        "file_properties": drawer.map_or_else(Vec::new, |drawer| properties(bytes, &doc, drawer)),
        "file_property_drawer": span(drawer.map(|drawer| drawer.span)),
        "keyword_properties": settings.properties.iter()
            .map(|(key, value)| json!({"key": key, "value": value})).collect::<Vec<_>>(),
        "keywords": found.keywords.iter().map(|k| json!({
            "key": k.key.text(bytes).to_uppercase(), "value": k.value.text(bytes),
            "begin": k.begin, "headline": owner(k.node),
        })).collect::<Vec<_>>(),
        "headlines": headlines(bytes, &doc, &settings),
        "links": links(bytes, &found, &settings),
        "src_blocks": sources(bytes, &found, doc.newline),
        "timestamps": found.timestamps.iter().map(|(s, node)| {
            let mut value = stamp(bytes, s);
            value["headline"] = owner_of(&found, s.span.begin, *node);
            value
        }).collect::<Vec<_>>(),
        "clocks": found.clocks.iter().map(|c| json!({
            "value": text(bytes, c.value.map(|value| value.span)),
            "duration": text(bytes, c.duration),
            "status": if c.duration.is_some() { "closed" } else { "running" },
            "begin": c.begin, "headline": owner(c.node),
        })).collect::<Vec<_>>(),
        "drawers": found.drawers.iter().map(|d| json!({
            "type": match d.kind { DrawerKind::Plain => "drawer", DrawerKind::Properties => "property-drawer" },
            "name": match d.kind { DrawerKind::Plain => d.name.text(bytes), DrawerKind::Properties => "PROPERTIES".into() },
            "span": span(Some(d.span)), "headline": owner(d.node),
        })).collect::<Vec<_>>(),
        "blocks": found.blocks.iter().map(|b| json!({
            "type": block(b.kind), "span": span(Some(b.span)), "headline": owner(b.node),
        })).collect::<Vec<_>>(),
        "checkboxes": found.checkboxes.iter().map(|c| json!({
            "state": match c.state { Checkbox::Off => "off", Checkbox::On => "on", Checkbox::Partial => "trans" },
            "begin": c.begin, "headline": owner(c.node),
        })).collect::<Vec<_>>(),
        "targets": found.targets.iter().map(|t| json!({
            "type": match t.kind { TargetKind::Plain => "target", TargetKind::Radio => "radio-target" },
            "value": t.value.text(bytes), "begin": t.span.begin, "headline": owner_of(&found, t.span.begin, t.node),
        })).collect::<Vec<_>>(),
        "cookies": found.cookies.iter().map(|c| json!({
            "value": c.span.text(bytes), "begin": c.span.begin, "headline": owner_of(&found, c.span.begin, c.node),
        })).collect::<Vec<_>>(),
    })
}

/// Emacs lists the keywords of `TYP_TODO` lines first, those of `SEQ_TODO` lines last, and within each the file's order.
fn todo_words(doc: &Doc, settings: &Settings, done: bool) -> Vec<String> {
    let keys = ["TYP_TODO", "TODO", "SEQ_TODO"];
    let lines = settings.lines.iter().filter(|(key, _)| keys.contains(&key.as_str()));
    let mut ranks: Vec<usize> = lines
        .filter(|(_, value)| value.split_whitespace().any(|word| word != "|"))
        .map(|(key, _)| keys.iter().position(|known| known == key).unwrap_or_default())
        .collect();
    ranks.resize(doc.keywords.sequences().len(), 0);
    let mut sequences: Vec<_> = ranks.iter().zip(doc.keywords.sequences()).collect();
    sequences.sort_by_key(|(rank, _)| **rank);
    sequences.iter().flat_map(|(_, s)| if done { &s.done } else { &s.open }).cloned().collect()
}

/// The oracle finds no headline above things in a caption.
fn owner_of(found: &Objects, at: usize, node: Option<usize>) -> Value {
    let inside = found.captions.iter().any(|caption| (caption.begin..caption.end).contains(&at));
    owner(node.filter(|_| !inside))
}

fn owner(node: Option<usize>) -> Value {
    node.map_or_else(|| json!(-1), |node| json!(node))
}

fn span(span: Option<Span>) -> Value {
    span.map_or(Value::Null, |span| json!([span.begin, span.end]))
}

fn text(bytes: &[u8], span: Option<Span>) -> Value {
    span.map_or(Value::Null, |span| span.text(bytes).into())
}

fn block(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Center => "center-block",
        BlockKind::Comment => "comment-block",
        BlockKind::Dynamic => "dynamic-block",
        BlockKind::Example => "example-block",
        BlockKind::Export => "export-block",
        BlockKind::Quote => "quote-block",
        BlockKind::Special => "special-block",
        BlockKind::Verse => "verse-block",
    }
}

fn properties(bytes: &[u8], doc: &Doc, drawer: org::Drawer) -> Vec<Value> {
    drawer
        .properties(bytes, doc.newline)
        .map(|p| {
            let (key, value) = (p.key.text(bytes), p.value.text(bytes));
            json!({"key": key, "value": value, "span": span(Some(p.line))})
        })
        .collect()
}

fn headlines(bytes: &[u8], doc: &Doc, settings: &Settings) -> Vec<Value> {
    let bounds = org::bounds(bytes, doc);
    let nodes = doc.nodes.iter().zip(bounds).enumerate();
    nodes
        .map(|(index, (node, bounds))| {
            let planning = node.planning.unwrap_or_default();
            // Of a property that stands twice, the parser's own list gives the last.
            let last = |key: &str| {
                let drawer = node.drawer.into_iter().flat_map(|drawer| drawer.properties(bytes, doc.newline));
                let same = drawer.filter(|p| p.key.of(bytes).eq_ignore_ascii_case(key.as_bytes()));
                text(bytes, same.last().map(|p| p.value))
            };
            let title = Some(node.title).filter(|title| !title.is_empty());
            json!({
                "level": settings.level(node.level), "stars": node.level,
                "todo": text(bytes, node.keyword),
                "todo_type": match node.state {
                    None => Value::Null,
                    Some(state) => if state.is_done() { "done".into() } else { "todo".into() },
                },
                "priority": text(bytes, node.priority),
                "title": node.title.text(bytes), "title_span": span(title),
                "tags": node.own_tags(bytes).collect::<Vec<_>>(),
                "all_tags": org::all_tags(bytes, doc, settings, index),
                "commented": node.commented, "archived": node.is_archived(bytes),
                "id": last("ID"), "custom_id": last("CUSTOM_ID"),
                "properties": node.drawer.map_or_else(Vec::new, |drawer| properties(bytes, doc, drawer)),
                "property_drawer": span(node.drawer.map(|drawer| drawer.span)),
                "planning_span": span(node.planning.map(|planning| planning.line)),
                "scheduled": planned(bytes, planning, planning.scheduled),
                "deadline": planned(bytes, planning, planning.deadline),
                "closed": planned(bytes, planning, planning.closed),
                "begin": node.begin, "line_end": node.line_end,
                "contents": span(bounds.contents),
                "end": node.end, "element_end": bounds.end,
                "parent": owner(node.parent),
            })
        })
        .collect()
}

fn planned(bytes: &[u8], planning: Planning, at: Option<Span>) -> Value {
    let read = at.and_then(|at| org::timestamp(bytes, at.begin, planning.line.end));
    read.map_or(Value::Null, |read| stamp(bytes, &read))
}

fn moment(moment: Option<Moment>) -> Value {
    let Some(moment) = moment else {
        return json!([null, null, null, null, null]);
    };
    let (hour, minute) = moment.time.unzip();
    json!([moment.year, moment.month, moment.day, hour, minute])
}

fn cookie(bytes: &[u8], cookie: Option<Cookie>) -> Value {
    let Some(cookie) = cookie else {
        return Value::Null;
    };
    let kind = match cookie.sign.of(bytes) {
        b"++" => "catch-up",
        b".+" => "restart",
        b"+" => "cumulate",
        b"--" => "first",
        _ => "all",
    };
    let unit = match cookie.unit {
        b'h' => "hour",
        b'd' => "day",
        b'w' => "week",
        b'm' => "month",
        _ => "year",
    };
    let digits = cookie.value.text(bytes);
    // Numbers above 2^61 come as strings.
    let value = digits.parse::<u64>().ok().filter(|value| *value < 1 << 61);
    let value = value.map_or_else(|| json!(digits.trim_start_matches('0')), |value| json!(value));
    json!({"type": kind, "value": value, "unit": unit})
}

fn stamp(bytes: &[u8], stamp: &Timestamp) -> Value {
    let kind = match stamp.kind {
        StampKind::Active => "active",
        StampKind::ActiveRange => "active-range",
        StampKind::Inactive => "inactive",
        StampKind::InactiveRange => "inactive-range",
        StampKind::Diary => "diary",
    };
    json!({
        "raw": stamp.span.text(bytes), "type": kind, "span": span(Some(stamp.span)),
        "start": moment(stamp.start), "end": moment(stamp.end),
        "repeater": cookie(bytes, stamp.repeater), "warning": cookie(bytes, stamp.warning),
    })
}

fn links(bytes: &[u8], found: &Objects, settings: &Settings) -> Vec<Value> {
    let links = found.links.iter().map(|link| {
        let target = link.target(bytes, &settings.abbreviations);
        json!({
            "type": target.kind,
            "format": match link.format {
                LinkFormat::Bracket => "bracket",
                LinkFormat::Plain | LinkFormat::Radio => "plain",
                LinkFormat::Angle => "angle",
            },
            "path": target.path, "raw": target.raw, "search": target.search,
            "description": span(link.description), "span": span(Some(link.span)),
            "headline": owner_of(found, link.span.begin, link.node),
        })
    });
    links.collect()
}

fn sources(bytes: &[u8], found: &Objects, newline: org::Newline) -> Vec<Value> {
    let sources = found.sources.iter().map(|s| {
        let mut code = String::from_utf8_lossy(&s.code(bytes)).into_owned();
        if newline == org::Newline::CrLf {
            code = code.replace("\r\n", "\n");
        }
        json!({
            "language": text(bytes, s.language), "switches": text(bytes, s.switches),
            "parameters": text(bytes, s.parameters), "name": text(bytes, s.name),
            "begin": s.span.begin, "block_begin": s.block_begin, "end": s.span.end,
            "value": code, "headline": owner(s.node),
        })
    });
    sources.collect()
}
