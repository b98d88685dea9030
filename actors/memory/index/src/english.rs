//! What every reader of English knows: words that say nothing about a matter, and words that people use for one another.
//! Everyday life and everyday computing only; nothing that one memex knows and another does not.

use crate::stem::stem;

/// Function words and the phrases of asking, folded, apostrophes gone.
const EMPTY: &[&str] = &[
    "a",
    "able",
    "about",
    "actually",
    "after",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "d",
    "did",
    "do",
    "does",
    "doing",
    "don",
    "done",
    "else",
    "ever",
    "every",
    "few",
    "for",
    "from",
    "get",
    "gets",
    "getting",
    "give",
    "go",
    "goes",
    "going",
    "got",
    "had",
    "has",
    "have",
    "having",
    "he",
    "hello",
    "her",
    "here",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "instead",
    "into",
    "is",
    "it",
    "its",
    "just",
    "kind",
    "know",
    "let",
    "like",
    "ll",
    "m",
    "made",
    "make",
    "makes",
    "many",
    "may",
    "me",
    "might",
    "mine",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "no",
    "not",
    "nothing",
    "now",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "please",
    "put",
    "quite",
    "rather",
    "re",
    "really",
    "s",
    "same",
    "say",
    "says",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "somebody",
    "someone",
    "something",
    "still",
    "such",
    "t",
    "take",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "though",
    "to",
    "too",
    "until",
    "up",
    "us",
    "use",
    "used",
    "ve",
    "very",
    "want",
    "was",
    "way",
    "we",
    "well",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "without",
    "would",
    "yet",
    "you",
    "your",
];

/// Returns whether a word says nothing about the matter.
pub(crate) fn is_empty(word: &str) -> bool {
    EMPTY.binary_search(&word).is_ok()
}

/// Words that are used for one another, a group in a line. Not synonyms in the strict sense: what one person writes down
/// and another asks for.
const ALIKE: &str = "
account login credentials password passphrase secret token
add insert append attach include
address url link location
alarm alert notification reminder notify warn
answer reply response
appliance device machine
appointment meeting date event calendar
begin start launch boot open
bill invoice receipt
block prevent forbid refuse deny reject disallow
boss manager supervisor leader
break broken fail failure crash fault defect
browser web firefox chrome
bug error problem issue trouble fault
build compile make
buy purchase order shop
car vehicle
change modify alter edit adjust customize
check verify test inspect
child children kid kids
choose select pick
clean wash tidy
close shut quit exit
cloud server online
code source program
color colour
command instruction
company firm business organisation organization
complete finish done
computer laptop pc machine desktop
connect connection link network
cook bake recipe
copy duplicate clone transfer carry
cost price pay fee charge money payment
country land
create new make generate
cut trim shorten
daily day everyday
deadline due
debt loan owe mortgage credit
decrease reduce lower less
delay wait slow
delete remove erase discard uninstall rid drop
difference differ compare distinction
disable deactivate suppress off
disk drive ssd hdd storage
display show view appear visible
doctor physician medical health
document file text
drawback disadvantage downside caveat limitation con
dwelling house home flat apartment
email mail message
enable activate
encrypt cipher encryption secure
example sample instance
expensive costly
explain describe clarify
export convert conversion publish output
extend extension plugin addon package module
fast quick speed rapid performance
fetch download retrieve get pull
fix repair correct solve patch
flashcard card deck
folder directory
forget forgotten lose lost missing
free gratis
garden yard allotment plants
gift present
glue paste
guide manual tutorial instructions documentation
heading headline title
heat heating warm boiler
hide conceal invisible hidden
holiday vacation trip travel
house home
icon symbol
idea thought
image picture photo photograph plot figure
import load
improve better enhance
income salary wage
increase raise grow
index indexing
install setup installation
invite guest
job work employment
keep retain store preserve save
key shortcut keybinding binding keyboard
language locale english german
large big huge
law legal rights copyright license licence
learn study practice review
letter mail
line row
list enumerate
medicine drug medication pill syrup
meet meeting meetup
memory ram
mistake error wrong incorrect
move shift relocate transfer
name call title label
note entry memo
notes documents files
number count amount
often frequency frequently
old outdated obsolete former earlier
option setting preference configuration config switch variable flag parameter
owner own property possess
page site website
parent mother father
part component piece
partner wife husband
person people human
phone mobile smartphone android
picture image
place location position where
plan schedule project
plug socket
print printer
private secret confidential
quote quotation cite citation
rank order sort priority
read reader parse parser parsing
record log track history
refresh update upgrade
release version publish
rent lease
repeat recurring again
replace substitute swap
report submit
request ask
restaurant eat food meal
restore recover undo revert
rule condition requirement
run execute evaluate
school class teacher lesson
search find lookup query grep
send submit mail post
sell sale
share sync synchronize synchronise synchronization
sick ill illness disease
size length big large
sleep night bed
slow sluggish lag takes long performance
snippet code fragment template
spouse husband wife
stop halt cease end
student pupil
summary overview abstract
support help assist
table column row
task todo
tax taxes
team group members
test try
time hour clock
timestamp date dates
tool utility program app application software
trash bin garbage
type enter write
typeface font
user account
wake awake
walk hike run route
wallet purse
warranty guarantee
window frame popup
wire cable
word term keyword
";

/// Returns the words that are used for one, none of them with its stem.
pub(crate) fn alike(word: &str) -> Vec<&'static str> {
    let wanted = stem(word);
    let mut found = Vec::new();
    for line in ALIKE.lines() {
        if line.split(' ').any(|one| stem(one) == wanted) {
            found.extend(line.split(' ').filter(|one| stem(one) != wanted));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(EMPTY.is_sorted());
        assert!(is_empty("the") && is_empty("a") && is_empty("your") && !is_empty("boiler"));
    }
}
