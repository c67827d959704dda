//! `Address`.

use super::args::Args;
use super::errors::no_member;
use crate::tree::Address as TreeAddress;
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, UserDataRef, Value};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address without a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address(pub(super) TreeAddress);

/// The IPv4 address with these bits.
pub(super) fn ipv4(bits: u64) -> Address {
    Address(TreeAddress::Ip(Ipv4Addr::from_bits(u32::try_from(bits).unwrap_or_default()).into()))
}

/// The IPv6 address with these octets.
pub(super) fn ipv6(octets: [u8; 16]) -> Address {
    Address(TreeAddress::Ip(Ipv6Addr::from(octets).into()))
}

/// The Ethernet address with these octets.
pub(super) fn ether(octets: [u8; 6]) -> Address {
    Address(TreeAddress::Mac(octets))
}

impl Address {
    /// The address of an endpoint.
    pub(super) fn of(end: TreeAddress) -> Address {
        Address(match end {
            TreeAddress::Socket(socket) => TreeAddress::Ip(socket.ip()),
            other => other,
        })
    }

    /// Its kind and octets, by which addresses are compared.
    pub(super) fn octets(self) -> (u8, Vec<u8>) {
        match self.0 {
            TreeAddress::Mac(octets) => (1, octets.to_vec()),
            TreeAddress::Ip(IpAddr::V4(ip)) => (2, ip.octets().to_vec()),
            TreeAddress::Ip(IpAddr::V6(ip)) => (3, ip.octets().to_vec()),
            TreeAddress::Socket(_) | TreeAddress::Usb(_) => (4, self.0.to_string().into_bytes()),
        }
    }
}

impl UserData for Address {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.0.to_string()));
        methods.add_meta_function(MetaMethod::Eq, |_, (one, other): (UserDataRef<Address>, UserDataRef<Address>)| {
            Ok(one.octets() == other.octets())
        });
        methods.add_meta_function(MetaMethod::Lt, |_, (one, other): (UserDataRef<Address>, UserDataRef<Address>)| {
            Ok(one.octets() < other.octets())
        });
        methods.add_meta_function(MetaMethod::Le, |_, (one, other): (UserDataRef<Address>, UserDataRef<Address>)| {
            Ok(one.octets() <= other.octets())
        });
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "Address"));
    }
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    let ip = |lua: &Lua, values: MultiValue| {
        let text = Args::new(lua, "ip", values).text(1)?;
        Ok(Address(TreeAddress::Ip(text.parse().unwrap_or(Ipv4Addr::UNSPECIFIED).into())))
    };
    class.set("ip", lua.create_function(ip)?)?;
    class.set("ipv4", lua.create_function(ip)?)?;
    let v6 = |lua: &Lua, values: MultiValue| {
        let text = Args::new(lua, "ipv6", values).text(1)?;
        Ok(Address(TreeAddress::Ip(text.parse().unwrap_or(Ipv6Addr::UNSPECIFIED).into())))
    };
    class.set("ipv6", lua.create_function(v6)?)?;
    let mac = |lua: &Lua, values: MultiValue| {
        let text = Args::new(lua, "ether", values).text(1)?;
        let octets: Vec<u8> = text.split([':', '-', '.']).filter_map(|octet| u8::from_str_radix(octet, 16).ok()).collect();
        Ok(ether(octets.try_into().unwrap_or_default()))
    };
    class.set("ether", lua.create_function(mac)?)?;
    super::sandbox::guard_class(lua, &class, "Address")?;
    globals.set("Address", class)
}
