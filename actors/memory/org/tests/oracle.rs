//! Agreement with Emacs over a corpus of real files, field by field, where corpus and oracle lie beside the repository.
//!
//! A field that equals Org 9.5.5 or, where `org-version-diff.json` lists it, Org 9.8.9 passes. Without the corpus the
//! test says so and checks nothing.

use org::{Doc, LinkFormat, Node, Objects, Settings, Span, objects, scan};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn unpack(path: &Path) -> Option<Value> {
    let out = Command::new("gzip").arg("-dc").arg(path).output().ok()?;
    serde_json::from_slice(&out.stdout).ok()
}

fn text(span: Option<Span>, bytes: &[u8]) -> Value {
    span.map_or(Value::Null, |span| span.text(bytes).into())
}

/// A planning timestamp by its bytes: the oracle gives span and text.
fn raw(span: Option<Span>, bytes: &[u8]) -> Value {
    text(span, bytes)
}

fn ours(doc: &Doc, node: &Node, bytes: &[u8]) -> Vec<(&'static str, Value)> {
    let planning = node.planning.unwrap_or_default();
    let tags: Vec<&str> = node.own_tags(bytes).collect();
    let properties: Vec<Value> = node
        .drawer
        .into_iter()
        .flat_map(|drawer| drawer.properties(bytes, doc.newline))
        .map(|p| Value::Array(vec![p.key.text(bytes).into(), p.value.text(bytes).into()]))
        .collect();
    let parent = node.parent.map_or(-1, |parent| i64::try_from(parent).unwrap_or(i64::MAX));
    vec![
        ("begin", node.begin.into()),
        ("line_end", node.line_end.into()),
        ("end", node.end.into()),
        ("parent", parent.into()),
        ("stars", node.level.into()),
        ("todo", text(node.keyword, bytes)),
        ("priority", text(node.priority, bytes)),
        ("title", node.title.text(bytes).into()),
        ("tags", tags.into()),
        ("commented", node.commented.into()),
        ("properties", properties.into()),
        ("scheduled", raw(planning.scheduled, bytes)),
        ("deadline", raw(planning.deadline, bytes)),
        ("closed", raw(planning.closed, bytes)),
    ]
}

/// Brings the oracle's field into our shape.
fn theirs(headline: &Value, field: &str) -> Value {
    let value = &headline[field];
    match field {
        "scheduled" | "deadline" | "closed" => value.get("raw").cloned().unwrap_or(Value::Null),
        "properties" => value
            .as_array()
            .into_iter()
            .flatten()
            .map(|p| Value::Array(vec![p["key"].clone(), p["value"].clone()]))
            .collect(),
        "tags" => {
            let tags = value.as_array().into_iter().flatten();
            tags.filter(|tag| *tag != "").cloned().collect()
        }
        _ => value.clone(),
    }
}

/// Whether the newer Org reads this field as we do.
fn newer(diff: &Value, name: &str, index: usize, field: &str, ours: &Value) -> bool {
    let list = diff.get(name).and_then(|file| file.get("headlines")?.as_array());
    list.is_some_and(|list| {
        list.iter().any(|d| {
            d["index"] == index && d["field"] == field && {
                let newer = serde_json::json!({ field: d["org_9_8_9"] });
                theirs(&newer, field) == *ours
            }
        })
    })
}

fn spans(list: impl Iterator<Item = (Span, Option<usize>)>) -> Vec<Value> {
    list.map(|(span, _)| Value::Array(vec![span.begin.into(), span.end.into()])).collect()
}

/// The places of all objects, and what the links lead to; `tests/show org` compares every field.
fn places(bytes: &[u8], found: &Objects) -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let settings = Settings::of(bytes, found);
    let targets: Vec<_> =
        found.links.iter().map(|link| link.target(bytes, &settings.abbreviations)).collect();
    let formats = found.links.iter().map(|link| match link.format {
        LinkFormat::Bracket => "bracket".into(),
        LinkFormat::Angle => "angle".into(),
        LinkFormat::Plain | LinkFormat::Radio => "plain".into(),
    });
    vec![
        ("links", "span", spans(found.links.iter().map(|link| (link.span, link.node)))),
        ("links", "format", formats.collect()),
        ("links", "type", targets.iter().map(|target| target.kind.clone().into()).collect()),
        ("links", "path", targets.iter().map(|target| target.path.clone().into()).collect()),
        ("links", "raw", targets.iter().map(|target| target.raw.clone().into()).collect()),
        ("timestamps", "span", spans(found.timestamps.iter().map(|(stamp, node)| (stamp.span, *node)))),
        ("src_blocks", "begin", found.sources.iter().map(|source| source.span.begin.into()).collect()),
        ("src_blocks", "end", found.sources.iter().map(|source| source.span.end.into()).collect()),
        ("blocks", "span", spans(found.blocks.iter().map(|block| (block.span, block.node)))),
        ("drawers", "span", spans(found.drawers.iter().map(|drawer| (drawer.span, drawer.node)))),
        ("clocks", "begin", found.clocks.iter().map(|clock| clock.begin.into()).collect()),
        ("checkboxes", "begin", found.checkboxes.iter().map(|tick| tick.begin.into()).collect()),
        ("cookies", "begin", found.cookies.iter().map(|cookie| cookie.span.begin.into()).collect()),
        ("targets", "begin", found.targets.iter().map(|target| target.span.begin.into()).collect()),
        ("keywords", "begin", found.keywords.iter().map(|keyword| keyword.begin.into()).collect()),
        (
            "keywords",
            "value",
            found.keywords.iter().map(|keyword| keyword.value.text(bytes).into()).collect(),
        ),
    ]
}

#[test]
fn headline_fields_equal_those_of_emacs() {
    let shared = shared();
    let corpus = shared.join("corpus/org");
    if !corpus.exists() {
        println!("skipped: no corpus at {}", corpus.display());
        return;
    }
    let diff = fs::read(shared.join("oracle/org-version-diff.json")).unwrap();
    let diff: Value = serde_json::from_slice(&diff).unwrap();
    let mut paths = Vec::new();
    files(&corpus, &mut paths);
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in paths {
        let name = path.strip_prefix(&corpus).unwrap().to_str().unwrap().to_owned();
        let oracle = shared.join("oracle/org").join(format!("{name}.json.gz"));
        let Some(oracle) = Some(oracle).filter(|o| o.exists()).and_then(|o| unpack(&o)) else {
            continue;
        };
        let bytes = fs::read(&path).unwrap();
        let doc = scan(&bytes);
        let headlines = oracle["headlines"].as_array().unwrap();
        if headlines.len() != doc.nodes.len() {
            wrong.push(format!("{name}: {} headlines, not {}", doc.nodes.len(), headlines.len()));
            continue;
        }
        let found = objects(&bytes, &doc);
        for (kind, field, ours) in places(&bytes, &found) {
            compared += ours.len();
            let theirs = oracle[kind].as_array().into_iter().flatten();
            let theirs: Vec<Value> = theirs.map(|thing| thing[field].clone()).collect();
            if ours != theirs && !ours.iter().any(|value| value.to_string().contains('\u{FFFD}')) {
                wrong.push(format!("{name} {kind}.{field}: {ours:?} is {theirs:?}"));
            }
        }
        let undecodable = oracle["undecodable"].as_u64().unwrap_or(0) > 0;
        for (index, (node, headline)) in doc.nodes.iter().zip(headlines).enumerate() {
            for (field, ours) in ours(&doc, node, &bytes) {
                compared += 1;
                let theirs = theirs(headline, field);
                let replaced = undecodable && ours.to_string().contains('\u{FFFD}');
                if ours != theirs && !replaced && !newer(&diff, &name, index, field, &ours) {
                    wrong.push(format!("{name} #{index} {field}: {ours} is {theirs}"));
                }
            }
        }
    }
    println!("{compared} fields compared, {} differ", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
