//! Random values: what goes in comes back, and what is lossy is named.

use std::collections::BTreeMap;

use contract_schema::{Json, SnapshotFault};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dto {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    count: u64,
    offset: i64,
    ratio: f64,
    tags: Vec<String>,
    by_key: BTreeMap<String, Nested>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Nested {
    flags: (bool, i8),
    floats: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Kind {
    Empty,
    Full { text: String, float: f64 },
}

/// Any finite float but negative zero.
fn float() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("lossless", |f| f.is_finite() && (*f != 0.0 || f.is_sign_positive()))
}

fn nested() -> impl Strategy<Value = Nested> {
    (any::<(bool, i8)>(), vec(float(), 0..4)).prop_map(|(flags, floats)| Nested { flags, floats })
}

fn dto() -> impl Strategy<Value = Dto> {
    let kind = prop_oneof![
        Just(Kind::Empty),
        (any::<String>(), float()).prop_map(|(text, float)| Kind::Full { text, float }),
    ];
    let scalars =
        (any::<String>(), option::of(any::<String>()), any::<u64>(), any::<i64>(), float());
    let containers = (vec(any::<String>(), 0..4), btree_map(any::<String>(), nested(), 0..20));
    (scalars, containers, kind).prop_map(
        |((name, note, count, offset, ratio), (tags, by_key), kind)| Dto {
            name,
            note,
            count,
            offset,
            ratio,
            tags,
            by_key,
            kind,
        },
    )
}

/// Any lossless tree.
pub(crate) fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        float().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec((any::<String>(), inner), 0..20)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

/// A way down into a tree, ending where a lossy number is put.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Spoilt {
    Lossy(f64),
    Array(Vec<Spoilt>),
    Object(BTreeMap<String, Spoilt>),
    Fine(String),
}

/// A tree with exactly one lossy number, and the pointer to it.
fn spoilt() -> impl Strategy<Value = (Spoilt, String)> {
    let lossy = prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-0.0)];
    let step = (any::<bool>(), 0..3_usize, "[a-z/~]{1,4}");
    (lossy, vec(step, 0..10)).prop_map(|(number, steps)| {
        let mut tree = Spoilt::Lossy(number);
        let mut pointer = String::new();
        for (is_object, before, key) in steps {
            if is_object {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                pointer = format!("/{escaped}{pointer}");
                tree = Spoilt::Object([(key, tree)].into_iter().collect());
            } else {
                pointer = format!("/{before}{pointer}");
                let fine = std::iter::repeat_n(Spoilt::Fine("x".to_owned()), before);
                tree = Spoilt::Array(fine.chain([tree]).collect());
            }
        }
        (tree, pointer)
    })
}

proptest! {
    #[test]
    fn a_dto_survives_snapshot_text_and_parse(value in dto()) {
        let json = Json::snapshot(&value).unwrap();
        let text = json.to_string();
        let read = Json::parse(&text).unwrap();
        prop_assert_eq!(&read, &json);
        prop_assert_eq!(&read.to_typed::<Dto>().unwrap(), &value);
        prop_assert_eq!(text, serde_json::to_string(&value).unwrap());
    }

    #[test]
    fn a_tree_survives_both_ways(value in tree()) {
        let json = Json::snapshot(&value).unwrap();
        prop_assert_eq!(&json.to_value(), &value);
        prop_assert_eq!(&Json::parse(&value.to_string()).unwrap(), &json);
        prop_assert_eq!(&Json::parse(&format!("{value:#}")).unwrap(), &json);
    }

    #[test]
    fn a_lossy_number_is_named_by_its_path((value, pointer) in spoilt()) {
        let error = Json::snapshot(&value).unwrap_err();
        prop_assert_eq!(error.path(), pointer);
        prop_assert!(matches!(error.fault(), SnapshotFault::NotFinite | SnapshotFault::NegativeZero));
    }

    #[test]
    fn any_text_is_read_or_refused_as_the_standard_reader_does(text in "[\\[\\]{}:,\"\\\\a-eu0-9. +-]{0,24}") {
        let ours = Json::parse(&text);
        match serde_json::from_str::<Value>(&text) {
            // The standard reader takes more: duplicate keys, wide integers, negative zero.
            Ok(standard) => if let Ok(json) = ours {
                prop_assert_eq!(json.to_value(), standard);
            },
            Err(error) => prop_assert!(ours.is_err(), "read {:?}, but: {}", text, error),
        }
    }

    #[test]
    fn random_bytes_never_crash_the_reader(bytes in vec(any::<u8>(), 0..64)) {
        let _ = Json::parse_bytes(&bytes);
    }
}
