//! Options of tshark that switch protocols on and off, answered with the options that do.

use super::forms::unknown_protocol;
use super::usage_error::UsageError;
use crate::registry::Registry;
use crate::wire::On;
use clap::Args as Group;

/// Options that switch protocols. Those that switch on what is always on have no effect.
#[derive(Debug, Default, Group)]
pub struct Switching {
    #[arg(hide = true, long = "disable-protocol", value_name = "PROTO")]
    disabled: Vec<String>,
    #[arg(hide = true, long = "only-protocols", value_name = "PROTO,…")]
    only_protocols: Vec<String>,
    #[arg(hide = true, long = "disable-all-protocols")]
    all_disabled: bool,
    #[arg(hide = true, long = "disable-heuristic", value_name = "NAME")]
    disabled_heuristics: Vec<String>,
    #[arg(hide = true, long = "enable-protocol", value_name = "PROTO")]
    enabled: Vec<String>,
    #[arg(hide = true, long = "enable-heuristic", value_name = "NAME")]
    enabled_heuristics: Vec<String>,
}

impl Switching {
    /// Returns the alternative to an unsupported option.
    pub(super) fn alternative(&self) -> Option<UsageError> {
        let named = [&self.disabled, &self.only_protocols, &self.enabled];
        let mut names = named.into_iter().flatten().flat_map(|list| list.split(',')).map(str::trim);
        if let Some(unknown) = names.find(|name| Registry::default().protocol(name).is_none()) {
            return Some(unknown_protocol(unknown));
        }
        if let Some(name) = self.disabled.first() {
            return Some(format!(
                "--disable-protocol {name}: protocols are switched off by place; -d {},none leaves it undissected, and \
                 -Y 'not {name}' hides its records",
                selector(name)
            ));
        }
        if let Some(names) = self.only_protocols.first() {
            let filter = names.split(',').map(str::trim).collect::<Vec<_>>().join(" or ");
            return Some(format!(
                "--only-protocols {names}: protocols are not switched off; -Y '{filter}' prints only their records"
            ));
        }
        if self.all_disabled {
            return Some(
                "--disable-all-protocols: protocols are switched off by place, such as -d tcp.port==80,none; explore shows the bytes of \
                 conversations"
                    .to_owned(),
            );
        }
        let heuristic = self.disabled_heuristics.first()?;
        Some(format!("--disable-heuristic {heuristic}: single heuristics are not switched off; --no-heuristics switches off all"))
    }
}

/// Selector of `-d` for the first port of a protocol, or an example.
fn selector(name: &str) -> String {
    let places = Registry::default().protocol(name).map(|protocol| protocol.found).unwrap_or_default();
    let ports = places.iter().filter_map(|found| match found.on {
        On::Tcp(port) | On::TcpRun(port, _) => Some(format!("tcp.port=={port}")),
        On::Udp(port) | On::UdpRun(port, _) => Some(format!("udp.port=={port}")),
        _ => None,
    });
    ports.into_iter().next().unwrap_or_else(|| "tcp.port==PORT".to_owned())
}
