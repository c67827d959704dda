//! Writes the files of `samples/`: small captures and hex dumps, generated only from the data in this folder.
//!
//! ```text
//! cargo run --features generators --example make_samples              writes samples/
//! cargo run --features generators --example make_samples -- FOLDER    writes the same files somewhere else
//! ```
//!
//! The dissector is deliberately not used here, so that its tests have a second source. The output is reproducible: clocks
//! and random numbers are constants.
//!
//! `capture`, `net` and `tcp` know no application protocol; every protocol has a folder or file with its sessions.

mod accounts;
mod capture;
mod games;
mod gateways;
mod hex;
mod http2;
mod industry;
mod layers;
mod lobbies;
mod logs;
mod neighbours;
mod net;
mod pipboy;
mod proxies;
mod routing;
mod runescape;
mod servers;
mod sessions;
mod talk;
mod tcp;
mod torrents;
mod usb;
mod vcmp;
mod voice;
mod vscp;
mod wifi;
mod windows;
mod xfire;

use std::path::{Path, PathBuf};

/// An error is printed and ends the program.
type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A file name and the generator of its content.
type Sample = (&'static str, fn() -> Result<Vec<u8>>);

const SAMPLES: &[Sample] = &[
    ("accounts.pcap", accounts::session),
    ("games.pcap", games::session),
    ("gateways.pcap", gateways::session),
    ("http.pcap", neighbours::http),
    ("http2.pcap", http2::sessions),
    ("industry.pcap", industry::session),
    ("layers.pcap", layers::tour),
    ("lobbies.pcap", lobbies::session),
    ("linux-cooked.pcap", layers::linux_cooked),
    ("linux-cooked-v2.pcap", layers::linux_cooked_v2),
    ("null-loopback.pcap", layers::null_loopback),
    ("logs-wow-31.pkt", logs::wow_31),
    ("logs-wow-22.pkt", logs::wow_22),
    ("logs-maple-2030.msb", logs::maple_2030),
    ("logs-maple-2026.msb", logs::maple_2026),
    ("logs-proxy.mitm", logs::flows),
    ("logs-browser.har", logs::browser),
    ("minecraft.pcap", sessions::visits),
    ("neighbours.pcap", neighbours::text),
    ("pipboy.pcap", pipboy::session),
    ("pipboy-damaged.pcap", pipboy::damaged),
    ("pipboy-midstream.pcap", pipboy::midstream),
    ("pipboy-ipv6.pcapng", pipboy::ipv6),
    ("pipboy-follow.txt", pipboy::follow),
    ("pipboy-greeting.hex", pipboy::greeting),
    ("pipboy-update.txt", pipboy::update),
    ("proxies.pcap", proxies::session),
    ("quic-keys.pcapng", neighbours::quic_keys),
    ("quic.pcap", neighbours::quic),
    ("tls.pcap", neighbours::tls),
    ("tls-keys.pcapng", neighbours::tls_keys),
    ("dtls-versions.pcapng", talk::dtls_versions),
    ("webrtc.pcapng", talk::webrtc),
    ("torrents.pcap", torrents::session),
    ("usb.pcap", usb::linux),
    ("usb-windows.pcap", usb::windows),
    ("vcmp-rel006.pcap", vcmp::rel006),
    ("vcmp-0471.pcap", vcmp::v471),
    ("voice.pcap", voice::session),
    ("queries.pcap", talk::games),
    ("talk.pcap", talk::session),
    ("tools.pcap", talk::tools),
    ("routing.pcap", routing::session),
    ("servers.pcap", servers::servers),
    ("wifi.pcap", wifi::management),
    ("windows.pcap", windows::session),
    ("runescape.pcap", runescape::session),
    ("runescape-cache.pcap", runescape::cache),
    ("runescape-log.bin", runescape::log),
    ("runescape-osrs-239.bin", runescape::osrs),
    ("vscp.pcap", vscp::session),
    ("vscp-damaged.pcap", vscp::damaged),
    ("vscp-midstream.pcap", vscp::midstream),
    ("ksy/habbo.keys", sessions::habbo_keys),
    ("ksy/habbo.pcap", sessions::habbo),
    ("ksy/lineage2.pcap", sessions::lineage2),
    ("ksy/minecraft.keys", sessions::minecraft_keys),
    ("ksy/minecraft.pcap", sessions::minecraft),
    ("ksy/tibia.keys", sessions::tibia_keys),
    ("ksy/tibia.pcap", sessions::tibia),
    ("ksy/rooms.pcap", sessions::rooms),
    ("ksy/uo.pcap", sessions::uo),
    ("ksy/versions.pcap", sessions::versions),
    ("ksy/wow335.keys", sessions::wow335_keys),
    ("ksy/wow335.pcap", sessions::wow335),
    ("ksy/zstream.pcap", sessions::zstream),
    ("xfire.pcap", xfire::session),
    ("xfire-packets.pcap", xfire::every_packet),
];

fn main() -> Result {
    let folder = match std::env::args_os().nth(1) {
        Some(option) if option.as_encoded_bytes().starts_with(b"-") => return Err("usage: make_samples [FOLDER]".into()),
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"),
    };
    std::fs::create_dir_all(folder.join("ksy"))?;
    for (name, make) in SAMPLES {
        std::fs::write(folder.join(name), make()?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_in_samples_are_the_ones_made_here() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
        for (name, make) in SAMPLES {
            let there = std::fs::read(folder.join(name)).unwrap();
            assert!(
                there == make().unwrap(),
                "{name} is not what `cargo run --features generators --example make_samples` writes"
            );
        }
        let listed = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        for name in files.filter(|name| !["README.md", "make", "ksy", "spark"].contains(&name.as_str())) {
            assert!(SAMPLES.iter().any(|(known, _)| *known == name), "{name} is made by nobody");
            assert!(listed.contains(&format!("`{name}`")), "{name} has no row in samples/README.md");
        }
    }
}
