//! Kaitai Struct files: text that is compiled, and bytes that compiled files read.

use super::everything;
use super::stream::Conversation;
use proto_dissect::ksy;
use proto_dissect::registry::{Choices, Registry};
use proto_dissect::wire::Settings;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A registry with the first message type of a file, for messages without a port.
fn registry(loaded: &ksy::Loaded) -> Option<Registry> {
    let spec = loaded.spec.as_ref()?;
    let protocol = ksy::protocol(spec, *spec.roots.first()?, None, true);
    Some(Registry::default().and(Vec::leak(vec![protocol])))
}

/// A file: it is refused with reasons that name a place, or reads bytes as any protocol does.
pub fn file(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // Imports are searched where no file is.
    let loaded = ksy::load_text(Path::new("/nonexistent/fuzz.ksy"), text);
    let words = loaded.diagnostics.iter().map(ToString::to_string);
    assert!(words.into_iter().all(|words| !words.is_empty()), "a diagnostic without words");
    let Some(registry) = registry(&loaded) else {
        assert!(loaded.spec.is_some() || !loaded.diagnostics.is_empty(), "a file is refused without a reason");
        return;
    };
    let bytes: Vec<u8> = (0..64).chain(input.iter().rev().copied().take(64)).collect();
    read(registry, &bytes);
}

/// Files of the samples, compiled once.
fn samples() -> &'static [Registry] {
    static ALL: OnceLock<Vec<Registry>> = OnceLock::new();
    ALL.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("samples/ksy"));
        let folder = folder.into_iter().find(|folder| folder.is_dir()).expect("the project");
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "ksy"));
        paths.sort();
        paths.iter().filter_map(|path| registry(&ksy::load(std::slice::from_ref(path), &[]))).collect()
    })
}

/// Bytes for one of the sample files.
pub fn bytes(input: &[u8]) {
    let Some((which, input)) = input.split_first() else { return };
    let all = samples();
    read(all[usize::from(*which) % all.len()], input);
}

/// Files of the samples, each without keys and with one.
fn keyed() -> &'static [Registry] {
    static ALL: OnceLock<Vec<Registry>> = OnceLock::new();
    ALL.get_or_init(|| samples().iter().flat_map(|registry| [None, Some(KEY)].map(|key| with_key(*registry, key))).collect())
}

/// A key of the right size for the samples' ciphers. Seeds that are enciphered have another one, so it does not fit them.
const KEY: &str = "0f1571c947d9e8590cb7add6af7f6798";

/// The registry of a loaded protocol on the port, with this value of each of its keys.
fn with_key(registry: Registry, key: Option<&str>) -> Registry {
    let protocol = registry.loaded().next().expect("a loaded protocol");
    let mut settings = Settings::new();
    for setting in protocol.settings.iter().filter(|setting| protocol.keys.iter().any(|key| setting.name.ends_with(key.name))) {
        if let Some(key) = key {
            settings.set(setting, key.to_owned());
        }
    }
    registry.choosing(Choices { decode_as: vec![super::stream::on_port(protocol)], settings, ..Choices::default() })
}

/// A conversation of one of the sample files, with and without keys: its messages do not depend on segments.
pub fn session(input: &[u8]) {
    let Some((which, input)) = input.split_first() else { return };
    let all = keyed();
    let registry = all[usize::from(*which) % all.len()];
    let conversation = Conversation::owned(input);
    everything(&conversation.frames(), registry);
    super::stream::check_cuts_of(&conversation, registry);
}

/// The bytes as turns of a conversation that the file's protocol owns.
fn read(registry: Registry, input: &[u8]) {
    everything(&Conversation::owned(input).frames(), with_key(registry, None));
}
