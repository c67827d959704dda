//! Protocol settings, `-o PROTO.NAME=VALUE`, and limits on memory and work, `--limit NAME=VALUE`.

use super::usage_error::UsageError;
use super::{keys, preferences, source};
use crate::failure::Words;
use crate::keys::{KeyRing, parse_value};
use crate::limits::{self, Unset};
use crate::nearest::{examples, similar};
use crate::registry::Registry;
use crate::wire::{InvalidValue, Protocol, Setting, Settings, ValueKind};
use std::io::{self, Read};

/// Parses the options, with `=` or as in tshark with `:`. Values of keys are added to `keys`. Errors list similar names.
pub(super) fn parse(registry: Registry, options: &[String], keys: &mut KeyRing) -> Result<Settings, UsageError> {
    let mut settings = Settings::new();
    for option in options {
        let Some((name, value)) = option.split_once(['=', ':']) else {
            let names = names(registry);
            let known = names.iter().map(String::as_str);
            return Err(format!("-o {option}: expected PROTO.NAME=VALUE, such as {}", examples(option, known)));
        };
        let Some(setting) = known(registry).find(|setting| setting.name == name) else {
            if let Some((protocol, key)) = name.split_once('.')
                && let Some(known) = keys::known(registry, protocol, key)
            {
                let wrong = |message| format!("-o {name}: {message}");
                let value = parse_value(value).map_err(wrong)?;
                (known.check)(&value).map_err(wrong)?;
                keys.add(&format!("-o {name}"), protocol, key, value);
                continue;
            }
            let unknown = || format!("-o {name}: unknown setting{}", others(registry, name));
            return Err(preferences::alternative(name, value).unwrap_or_else(unknown));
        };
        let value = match setting.takes {
            ValueKind::Value | ValueKind::Checked(_) | ValueKind::Known { .. } => value.to_owned(),
            ValueKind::Switch if ["true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word)) => value.to_owned(),
            ValueKind::Switch => return Err(format!("-o {option}: expected {name}=true or {name}=false")),
            ValueKind::File | ValueKind::CheckedFile(_) | ValueKind::Secrets(_) => {
                let text = read(value).map_err(|error| format!("-o {option}: {value} cannot be read: {}", Words(&error)))?;
                String::from_utf8(text).map_err(|_| format!("-o {option}: {value} is not UTF-8 text"))?
            }
        };
        let gives =
            |name: &str| options.iter().any(|option| option.split_once(['=', ':']).is_some_and(|(given, _)| given == name));
        let check = match setting.takes {
            ValueKind::Checked(check) | ValueKind::CheckedFile(check) | ValueKind::Secrets(check) => Some(check),
            ValueKind::Known { check, unless, .. } if gives(unless) => Some(check),
            ValueKind::Known { known, .. } => Some(known),
            ValueKind::Value | ValueKind::File | ValueKind::Switch => None,
        };
        if let Some(check) = check {
            check(&value).map_err(|InvalidValue { line, message }| match line {
                Some(line) => format!("-o {option}: line {line}: {message}"),
                None => format!("-o {option}: {message}"),
            })?;
        }
        settings.set(setting, value);
    }
    Ok(settings)
}

/// Applies the limits of `--limit`. Errors list similar names.
pub(super) fn limit(options: &[String]) -> Result<(), UsageError> {
    for option in options {
        let Some((name, value)) = option.split_once('=') else {
            return Err(format!("--limit {option}: expected NAME=VALUE, such as {}=1M", examples(option, limit_names())));
        };
        limits::set(name, value).map_err(|unset| match unset {
            Unset::Unknown => match similar(name, limit_names()) {
                names if names.is_empty() => format!("--limit {name}: unknown limit; docs/limits.md lists all"),
                names => format!("--limit {name}: unknown limit{names}"),
            },
            Unset::Value { most } => format!("--limit {option}: expected a number from 1 to {most}, such as 64k or 2M"),
        })?;
    }
    Ok(())
}

/// Maximum size of the file of a setting, such as a key log, in bytes.
const FILE_BYTES: usize = 64 << 20;

/// Reads a file.
fn read(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source::open(path.as_ref())?.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    match bytes.len() {
        ..=FILE_BYTES => Ok(bytes),
        _ => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", FILE_BYTES >> 20))),
    }
}

fn limit_names() -> impl Iterator<Item = &'static str> {
    limits::ALL.iter().map(|limit| limit.name)
}

fn known(registry: Registry) -> impl Iterator<Item = &'static Setting> {
    registry.protocols().flat_map(|protocol| protocol.settings)
}

/// Settings with similar names, or else those of the same protocol.
fn others(registry: Registry, name: &str) -> String {
    let names = names(registry);
    let names = names.iter().map(String::as_str);
    let similar = similar(name, names.clone());
    let protocol = name.split('.').next().unwrap_or_default();
    let is_of_it = |known: &&str| known.split_once('.').is_some_and(|(of, _)| of == protocol);
    let own: Vec<&str> = names.filter(is_of_it).collect();
    if similar.is_empty() && !own.is_empty() { format!("; settings of {protocol}: {}", own.join(", ")) } else { similar }
}

/// Names of settings and of keys.
fn names(registry: Registry) -> Vec<String> {
    let of_protocol = |protocol: &'static Protocol| {
        let keys = protocol.keys.iter().map(|key| format!("{}.{}", protocol.this.abbrev, key.name));
        protocol.settings.iter().map(|setting| setting.name.to_owned()).chain(keys)
    };
    registry.protocols().flat_map(of_protocol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_parsed_and_errors_name_valid_ones() {
        let given = |text: &str| parse(Registry::default(), &[text.to_owned()], &mut KeyRing::default());
        assert_eq!(given("xfire.password=a=b").unwrap().get("xfire.password"), Some("a=b"));
        assert!(given("ip.check_checksum=TRUE").unwrap().is_on("ip.check_checksum"));
        assert!(!given("ip.check_checksum=false").unwrap().is_on("ip.check_checksum"));
        for (text, word) in [
            ("xfire.pasword=x", "xfire.password"),
            ("xfire.password", "PROTO.NAME=VALUE"),
            ("tcp.check_checksum=yes", "tcp.check_checksum=true"),
            ("udp.checksum=true", "udp.check_checksum"),
            ("xfire.passwords=/does/not/exist", "cannot be read"),
        ] {
            assert!(given(text).unwrap_err().contains(word), "{text}");
        }
    }

    #[test]
    fn a_revision_without_a_table_is_refused_unless_a_table_is_given() {
        let given = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|&text| text.to_owned()).collect();
            parse(Registry::default(), &options, &mut KeyRing::default())
        };
        let wrong = given(&["rs.revision=318"]).unwrap_err();
        assert!(
            wrong.contains("225, 244, 245, 254, 274, 317, 377, 550, osrs-223 to osrs-239") && wrong.contains("rs.table"),
            "{wrong}"
        );
        assert_eq!(given(&["rs.revision=317"]).unwrap().get("rs.revision"), Some("317"));
        let wrong = given(&["rs.revision=318", "rs.table=/does/not/exist"]).unwrap_err();
        assert!(wrong.starts_with("-o rs.table="), "{wrong}");
        assert!(given(&["rs.revision=old", "rs.table=/does/not/exist"]).unwrap_err().contains("expected a number"));
    }

    #[test]
    fn an_invalid_limit_names_the_expected_format() {
        let limit = |text: &str| limit(&[text.to_owned()]);
        // The default value, because other tests run in the same process.
        assert_eq!(limit("tree.notes=10000"), Ok(()));
        assert_eq!(limit("tree.note_text=1k"), Ok(()));
        assert_eq!(limit("diff.memory=1G").map(|()| limits::DIFF_MEMORY.get()), Ok(1 << 30));
        assert_eq!(limit("diff.memory=256m").map(|()| limits::DIFF_MEMORY.get()), Ok(256 << 20));
        for (text, words) in [
            ("tree.note=5", "tree.notes"),
            ("tree.notes", "NAME=VALUE"),
            ("tree.notes=0", "from 1 to"),
            ("tree.notes=x", "from 1 to"),
            ("tree.nodes=99999M", "from 1 to"),
            ("tree.nodes=1G", "from 1 to"),
            ("tree.nodes=18446744073709551615k", "from 1 to"),
        ] {
            assert!(limit(text).unwrap_err().contains(words), "{text}");
        }
    }
}
