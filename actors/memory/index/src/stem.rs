//! Light English stemming: plurals and the commonest endings. It must not join words that mean different things, and a
//! word begins with its stem but for a last `i`, because the dictionary is searched by that.

/// Returns the stem of a folded word. What is not plain English letters stays as it is.
pub(crate) fn stem(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut stem = plural(word).to_owned();
    if word.ends_with("ies") && word.len() > 4 {
        stem.push('y');
    }
    for (ending, least) in [
        ("ating", 3),
        ("ated", 3),
        ("ate", 3),
        ("ingly", 3),
        ("edly", 3),
        ("ing", 3),
        ("ed", 3),
        ("ly", 4),
        ("ment", 4),
        ("ness", 4),
    ] {
        if let Some(head) = stem.strip_suffix(ending)
            && head.len() >= least
            && head.bytes().any(is_vowel)
        {
            stem = undouble(head).to_owned();
            break;
        }
    }
    for (ending, least) in [("ations", 3), ("ation", 3), ("ion", 4), ("er", 5), ("or", 5), ("al", 5)] {
        if let Some(head) = stem.strip_suffix(ending)
            && head.len() >= least
        {
            stem = head.to_owned();
            break;
        }
    }
    if let Some(head) = stem.strip_suffix('e')
        && head.len() >= 3
    {
        stem = head.to_owned();
    }
    if let Some(head) = stem.strip_suffix('y')
        && head.len() >= 3
        && !head.bytes().next_back().is_some_and(is_vowel)
    {
        stem = format!("{head}i");
    }
    stem
}

fn plural(word: &str) -> &str {
    if let Some(head) = word.strip_suffix("ies")
        && word.len() > 4
    {
        return head;
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(ending) {
            return word.get(..word.len() - 2).unwrap_or(word);
        }
    }
    match word.strip_suffix('s') {
        Some(head) if !head.ends_with('s') && !head.ends_with('u') && !head.ends_with('i') => head,
        Some(_) | None => word,
    }
}

/// `stopp` is `stop`; `call` and `pass` and `buzz` stay.
fn undouble(head: &str) -> &str {
    let mut back = head.bytes().rev();
    match (back.next(), back.next()) {
        (Some(last), Some(before)) if last == before && !b"aeioulsz".contains(&last) && head.len() > 3 => {
            head.get(..head.len() - 1).unwrap_or(head)
        }
        _ => head,
    }
}

const fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms_of_one_word_meet() {
        for forms in [
            &["install", "installs", "installed", "installing", "installation"][..],
            &["stop", "stops", "stopped", "stopping"],
            &["note", "notes", "noted"],
            &["query", "queries"],
            &["box", "boxes"],
            &["migrate", "migrating", "migration", "migrated"],
            &["convert", "converted", "converter"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn words_that_only_look_alike_stay_apart() {
        for (one, other) in
            [("bus", "bu"), ("string", "str"), ("this", "thi"), ("need", "ne"), ("user", "us")]
        {
            assert_ne!(stem(one), stem(other));
        }
    }

    proptest! {
        #[test]
        fn a_word_begins_with_its_stem_but_for_a_last_i(word in "[a-z]{1,16}") {
            let stem = stem(&word);
            prop_assert!(word.starts_with(stem.strip_suffix('i').unwrap_or(&stem)));
        }
    }
}
