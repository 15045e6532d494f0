//! Keys by name, and what a terminal sends for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key to press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are what is printed on the keys")]
pub enum Key {
    Enter,
    Tab,
    BackTab,
    Escape,
    Space,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Right,
    Left,
    Home,
    End,
    PageUp,
    PageDown,
    F1,
    F2,
    F3,
    F4,
    F5,
    F6,
    F7,
    F8,
    F9,
    F10,
    F11,
    F12,
    CtrlA,
    CtrlB,
    CtrlC,
    CtrlD,
    CtrlE,
    CtrlF,
    CtrlG,
    CtrlH,
    CtrlK,
    CtrlL,
    CtrlN,
    CtrlO,
    CtrlP,
    CtrlQ,
    CtrlR,
    CtrlS,
    CtrlT,
    CtrlU,
    CtrlV,
    CtrlW,
    CtrlX,
    CtrlY,
    CtrlZ,
    #[serde(rename = "ctrl-\\")]
    #[schemars(rename = "ctrl-\\")]
    CtrlBackslash,
}

/// What each key sends, in the order of [`Key`].
const BYTES: &[(Key, &str)] = &[
    (Key::Enter, "\r"),
    (Key::Tab, "\t"),
    (Key::BackTab, "\x1b[Z"),
    (Key::Escape, "\x1b"),
    (Key::Space, " "),
    (Key::Backspace, "\x7f"),
    (Key::Delete, "\x1b[3~"),
    (Key::Insert, "\x1b[2~"),
    (Key::Up, "\x1b[A"),
    (Key::Down, "\x1b[B"),
    (Key::Right, "\x1b[C"),
    (Key::Left, "\x1b[D"),
    (Key::Home, "\x1b[H"),
    (Key::End, "\x1b[F"),
    (Key::PageUp, "\x1b[5~"),
    (Key::PageDown, "\x1b[6~"),
    (Key::F1, "\x1bOP"),
    (Key::F2, "\x1bOQ"),
    (Key::F3, "\x1bOR"),
    (Key::F4, "\x1bOS"),
    (Key::F5, "\x1b[15~"),
    (Key::F6, "\x1b[17~"),
    (Key::F7, "\x1b[18~"),
    (Key::F8, "\x1b[19~"),
    (Key::F9, "\x1b[20~"),
    (Key::F10, "\x1b[21~"),
    (Key::F11, "\x1b[23~"),
    (Key::F12, "\x1b[24~"),
    (Key::CtrlA, "\x01"),
    (Key::CtrlB, "\x02"),
    (Key::CtrlC, "\x03"),
    (Key::CtrlD, "\x04"),
    (Key::CtrlE, "\x05"),
    (Key::CtrlF, "\x06"),
    (Key::CtrlG, "\x07"),
    (Key::CtrlH, "\x08"),
    (Key::CtrlK, "\x0b"),
    (Key::CtrlL, "\x0c"),
    (Key::CtrlN, "\x0e"),
    (Key::CtrlO, "\x0f"),
    (Key::CtrlP, "\x10"),
    (Key::CtrlQ, "\x11"),
    (Key::CtrlR, "\x12"),
    (Key::CtrlS, "\x13"),
    (Key::CtrlT, "\x14"),
    (Key::CtrlU, "\x15"),
    (Key::CtrlV, "\x16"),
    (Key::CtrlW, "\x17"),
    (Key::CtrlX, "\x18"),
    (Key::CtrlY, "\x19"),
    (Key::CtrlZ, "\x1a"),
    (Key::CtrlBackslash, "\x1c"),
];

/// What cursor keys send where the program asked for the application's form.
const APPLICATION: &[(Key, &str)] = &[
    (Key::Up, "\x1bOA"),
    (Key::Down, "\x1bOB"),
    (Key::Right, "\x1bOC"),
    (Key::Left, "\x1bOD"),
    (Key::Home, "\x1bOH"),
    (Key::End, "\x1bOF"),
];

impl Key {
    /// What the terminal sends, as xterm does.
    pub(super) fn bytes(self, application: bool) -> &'static str {
        let form = if application { APPLICATION } else { &[] };
        let mut all = form.iter().chain(BYTES);
        all.find(|(key, _)| *key == self).map_or("", |(_, bytes)| bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_sends_something_of_its_own() {
        let schema = schemars::schema_for!(Key);
        let names = schema.get("enum").and_then(serde_json::Value::as_array).expect("an enum");
        let mut sent: Vec<&str> = Vec::new();
        for name in names {
            let key: Key = serde_json::from_value(name.clone()).expect("a key");
            let bytes = key.bytes(false);
            assert!(!bytes.is_empty() && !sent.contains(&bytes), "{name}");
            sent.push(bytes);
        }
        assert_eq!(sent.len(), BYTES.len());
        assert_eq!((Key::Up.bytes(true), Key::F1.bytes(true)), ("\x1bOA", "\x1bOP"));
    }
}
