//! Parses `--as`, `--link`, `--port` and `-d`. Errors name the accepted values.

use super::args::Reading;
use super::usage_error::UsageError;
use super::{keys, settings};
use crate::input::{InputFormat, Link, Options, link_names, link_number};
use crate::layers::Next;
use crate::nearest::similar;
use crate::registry::{Assume, Candidate, Choices, DecodeAs, LOG, Registry, Selector};
use crate::tree::{Side, StreamId, Transport};
use crate::wire::{Dissector, On, Protocol};
use std::net::IpAddr;
use std::ops::RangeInclusive;

/// The registry configured by the options.
pub(super) fn registry(reading: &Reading) -> Result<Registry, UsageError> {
    settings::limit(&reading.limit)?;
    let registry = Registry::default();
    let decode_as = reading.decode_as.iter().map(|text| decode_as(registry, text)).collect::<Result<_, _>>()?;
    let mut given = reading.settings.clone();
    let assume = match (&reading.as_protocol, &reading.port) {
        (Some(text), _) => match by_setting(registry, text) {
            Some((protocol, value)) => {
                given.push(format!("{}={value}", protocol.this.abbrev));
                Assume::Protocol(protocol, Some(Side::Client))
            }
            None => as_protocol(registry, text)?,
        },
        (None, Some(text)) => Assume::Port(port(text)?),
        (None, None) => match registry.named_protocols().collect::<Vec<_>>()[..] {
            // A single loaded file applies to hex text and raw bytes.
            [only] if reading.link.is_none() => Assume::Protocol(only, None),
            _ => Assume::Nothing,
        },
    };
    let mut keys = keys::open(reading, registry)?;
    let mut settings = settings::parse(registry, &given, &mut keys)?;
    if reading.records_keys {
        keys.record();
    }
    if let Some(keys) = keys::share(keys) {
        settings.set_keys(keys);
    }
    Ok(registry.choosing(Choices {
        decode_as,
        no_heuristics: reading.no_heuristics,
        assume,
        settings,
        show_secrets: reading.show_secrets,
    }))
}

/// Input options.
pub(super) fn options(reading: &Reading, registry: Registry) -> Result<Options, UsageError> {
    let assume = registry.assume();
    let format = reading.input_format.map(InputFormat::from);
    let format = if reading.hex_text.is_some() { format.or(Some(InputFormat::Hex)) } else { format };
    let link = match (&reading.link, assume) {
        (Some(text), _) => Some(Link::Type(link(text)?)),
        (None, Assume::Protocol(protocol, Some(side))) if protocol.is_stream() => Some(Link::Stream(side)),
        (None, _) => None,
    };
    let is_unknown = reading.link.is_none() && reading.port.is_none() && matches!(assume, Assume::Nothing);
    if format == Some(InputFormat::Raw) && is_unknown {
        return Err(
            "--input-format raw: the protocol of the bytes is unknown; try --as PROTO:s2c, --link TYPE or --port tcp:PORT".into(),
        );
    }
    let raw_otherwise = !matches!(assume, Assume::Nothing);
    let (split, words) = (reading.split.map(Into::into), reading.words.map(Into::into));
    Ok(Options { format, link, split, words, raw_otherwise, helped: reading.threads != Some(1), settings: registry.settings() })
}

/// Parses a link type, by name or number.
fn link(text: &str) -> Result<u16, UsageError> {
    link_number(text)
        .ok_or_else(|| format!("--link {text}: unknown link type; expected a number or a name{}", similar(text, link_names())))
}

/// Parses `rs.type:u8 name37`: a protocol with a setting of the same name, and its value.
fn by_setting(registry: Registry, text: &str) -> Option<(&'static Protocol, &str)> {
    let (name, value) = text.split_once(':')?;
    let protocol = registry.applications().find(|protocol| protocol.this.abbrev == name)?;
    protocol.settings.iter().any(|setting| setting.name == name).then_some((protocol, value))
}

/// Parses `eth`, `librpc`, `xfire:c2s`.
fn as_protocol(registry: Registry, text: &str) -> Result<Assume, UsageError> {
    let (name, side) = match text.split_once(':') {
        Some((name, "c2s")) => (name, Some(Side::Client)),
        Some((name, "s2c")) => (name, Some(Side::Server)),
        Some((name, other)) => {
            let is_file = registry.applications().any(|known| known.this.abbrev == name && has_file(known));
            let help = if is_file { "; to select a type of a Kaitai Struct file, use -k FILE:TYPE" } else { "" };
            return Err(format!("--as {text}: expected the direction c2s or s2c, not {other:?}{help}"));
        }
        None => (text, None),
    };
    if let Some(next) = layer(name) {
        return Ok(Assume::Layer(next));
    }
    protocol(registry, "--as", text, name).map(|protocol| Assume::Protocol(protocol, side))
}

/// Whether a protocol comes from a Kaitai Struct file.
fn has_file(protocol: &Protocol) -> bool {
    protocol.found.iter().any(|found| matches!(found.dissector, Dissector::Described(_)))
}

/// Layers that input may start with, by name.
pub(super) const LAYERS: &[(&str, Next)] = &[
    ("eth", Next::Link(1)),
    ("ethernet", Next::Link(1)),
    ("ip", Next::Ip),
    ("ipv4", Next::Ip),
    ("ipv6", Next::Ip),
    ("arp", Next::EtherType(0x0806)),
    ("vlan", Next::EtherType(0x8100)),
    ("llc", Next::Llc),
    ("null", Next::Link(0)),
    ("sll", Next::Link(113)),
    ("icmp", Next::IpProtocol(1)),
    ("icmpv6", Next::IpProtocol(58)),
    ("data", Next::Data),
];

fn layer(name: &str) -> Option<Next> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|(_, next)| *next)
}

fn protocol(registry: Registry, option: &str, text: &str, name: &str) -> Result<&'static Protocol, UsageError> {
    let known = || registry.applications().map(|protocol| protocol.this.abbrev);
    match registry.applications().find(|protocol| protocol.this.abbrev == name) {
        Some(protocol) => Ok(protocol),
        None => {
            let similar = similar(&registry.with_filter_name(name), known());
            Err(format!("{option} {text}: unknown protocol {name:?}{similar}; layers such as eth and ip are accepted, too"))
        }
    }
}

/// Parses `tcp:27000` or `udp:28000`.
fn port(text: &str) -> Result<On, UsageError> {
    let wrong = || format!("--port {text}: expected tcp:PORT or udp:PORT, such as tcp:27000");
    let (transport, port) = text.split_once(':').ok_or_else(wrong)?;
    let port: u16 = port.parse().map_err(|_| wrong())?;
    match transport {
        "tcp" => Ok(On::Tcp(port)),
        "udp" => Ok(On::Udp(port)),
        _ => Err(wrong()),
    }
}

/// Parses `tcp.port==27000,pipboy`, `udp.port==8000-8100,vcmp`, `tcp.stream==3,xfire`, `ip.addr==10.0.0.5,rs`,
/// `link==user0,xfire`, `log,NAME`, `…,none`.
pub(super) fn decode_as(registry: Registry, text: &str) -> Result<DecodeAs, UsageError> {
    let wrong = |what: &str| format!("-d {text}: {what}; expected SELECTOR==VALUE,PROTOCOL, such as tcp.port==27000,pipboy");
    let (selector, name) = text.rsplit_once(',').ok_or_else(|| wrong("the protocol is missing"))?;
    if selector.trim() == LOG {
        return of_logs(registry, text, name.trim());
    }
    let (field, value) = selector.split_once("==").ok_or_else(|| wrong("the selector has no =="))?;
    let value = value.trim();
    let number = || value.parse().map_err(|_| wrong(&format!("{value:?} is not a number")));
    let selector = match field.trim() {
        "tcp.port" => Selector::Ports(Transport::Tcp, ports(value).ok_or_else(|| wrong(&format!("{value:?} is not a port")))?),
        "udp.port" => Selector::Ports(Transport::Udp, ports(value).ok_or_else(|| wrong(&format!("{value:?} is not a port")))?),
        "tcp.stream" => Selector::Stream(StreamId { transport: Transport::Tcp, number: number()? }),
        "udp.stream" => Selector::Stream(StreamId { transport: Transport::Udp, number: number()? }),
        "usb.stream" => Selector::Stream(StreamId { transport: Transport::Usb, number: number()? }),
        "ip.addr" | "ipv6.addr" => {
            Selector::Address(value.parse::<IpAddr>().map_err(|_| wrong(&format!("{value:?} is not an address")))?)
        }
        "link" => Selector::Link(link_number(value).ok_or_else(|| wrong(&format!("{value:?} is not a link type")))?),
        other => {
            let known = "tcp.port, udp.port, tcp.stream, udp.stream, usb.stream, ip.addr, link or log";
            return Err(wrong(&format!("unknown selector {other:?}; use {known}")));
        }
    };
    let name = name.trim();
    let protocol = if matches!(name, "none" | "data") { None } else { Some(protocol(registry, "-d", text, name)?) };
    if selector.is_of_streams()
        && let Some(reason) = protocol.and_then(without_streams)
    {
        return Err(format!(
            "-d {text}: {name} has no message boundaries on TCP: {reason}; give it a size, or add framing: connection to its -proto-dissect"
        ));
    }
    Ok(DecodeAs { selector, protocol })
}

/// Parses the rule `log,NAME` for messages of logs, each of which is complete.
fn of_logs(registry: Registry, text: &str, name: &str) -> Result<DecodeAs, UsageError> {
    let selector = Selector::Over(LOG);
    if matches!(name, "none" | "data") {
        return Ok(DecodeAs { selector, protocol: None });
    }
    let protocol = protocol(registry, "-d", text, name)?;
    if Candidate::datagram(protocol).is_none() {
        return Err(format!(
            "-d {text}: {name} reads streams only, and a log has single messages; choose a protocol of datagrams, or a .ksy file"
        ));
    }
    Ok(DecodeAs { selector, protocol: Some(protocol) })
}

/// Reason why a protocol of a file cannot dissect streams.
fn without_streams(protocol: &'static Protocol) -> Option<&'static str> {
    protocol.found.iter().find_map(|found| match found.dissector {
        Dissector::Described(described) => described.without_streams(),
        _ => None,
    })
}

/// Parses `27000`, or a range: `8000-8100`, `8000..8100`.
fn ports(text: &str) -> Option<RangeInclusive<u16>> {
    let (from, to) = text.split_once("..").or_else(|| text.split_once('-')).unwrap_or((text, text));
    let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (from <= to).then_some(from..=to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_read() {
        let read = |text| decode_as(Registry::default(), text);
        assert_eq!(read("tcp.port==27000,pipboy").unwrap().selector, Selector::Ports(Transport::Tcp, 27000..=27000));
        assert_eq!(read("udp.port==8000-8100,none").unwrap().selector, Selector::Ports(Transport::Udp, 8000..=8100));
        assert_eq!(read("link==147,pipboy").unwrap().selector, Selector::Link(147));
        assert_eq!(read("link==USER1,none").unwrap().selector, Selector::Link(148));
        assert!(read("tcp.stream==3,none").unwrap().protocol.is_none());
        assert_eq!(read("log,dns").unwrap().selector, Selector::Over("log"));
        assert!(read("log,irc").err().unwrap().contains("streams only"));
        assert!(matches!(read("ip.addr==10.0.0.5,pipboy").unwrap().selector, Selector::Address(_)));
    }

    #[test]
    fn a_setting_of_a_protocol_has_its_name_before_the_value() {
        let read = |text| by_setting(Registry::default(), text).map(|(protocol, value)| (protocol.this.abbrev, value));
        assert_eq!(read("rs.type:u8 name37"), Some(("rs.type", "u8 name37")));
        assert_eq!((read("rs:c2s"), read("rs.type"), read("rs.table:x")), (None, None, None));
    }

    #[test]
    fn wrong_selectors_list_valid_ones() {
        for (text, word) in [
            ("tcp.port==x,pipboy", "not a port"),
            ("tcp.port==9-3,pipboy", "not a port"),
            ("tcp.prt==1,pipboy", "tcp.port"),
            ("tcp.port==1", "missing"),
            ("tcp.port=1,pipboy", "=="),
            ("tcp.port==1,pipby", "pipboy"),
            ("ip.addr==1.2.3,pipboy", "not an address"),
        ] {
            let wrong = decode_as(Registry::default(), text).err().unwrap();
            assert!(wrong.contains(word), "{text}: {wrong}");
        }
        assert!(as_protocol(Registry::default(), "pipboy:up").err().unwrap().contains("c2s or s2c"));
        assert!(port("27000").err().unwrap().contains("tcp:27000"));
    }
}
