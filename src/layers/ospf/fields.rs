//! Fields of packets and link state advertisements.

use crate::tree::{Names, fields, title};

fields! {
    OSPF = protocol("ospf", "OSPF", "Open Shortest Path First");
    HEADER = group("ospf.header", "OSPF header", "");
    VERSION = number("ospf.version", "Version", "").once();
    MSG = number("ospf.msg", "Message type", "").names(TYPES).once();
    PACKET_LENGTH = number("ospf.packet_length", "Packet length", "Bytes of header and message").once();
    ROUTER = ipv4("ospf.srcrouter", "Source OSPF router", "").once();
    AREA = ipv4("ospf.area_id", "Area ID", "").once();
    CHECKSUM = number("ospf.checksum", "Checksum", "").hex(4).once();
    INSTANCE = number("ospf.instance_id", "Instance ID", "").once();
    RESERVED = bytes("ospf.reserved", "Reserved", "");
    AUTH_TYPE = number("ospf.auth.type", "Auth type", "").names(AUTH_TYPES).once();
    AUTH_NONE = bytes("ospf.auth.none", "Auth data (none)", "").once();
    AUTH_SIMPLE = text("ospf.auth.simple", "Auth data (simple)", "").secret().once();
    KEY_ID = number("ospf.auth.crypt.key_id", "Auth crypt key ID", "").once();
    AUTH_LENGTH = number("ospf.auth.crypt.data_length", "Auth crypt data length", "Bytes of the digest after the packet").once();
    AUTH_SEQUENCE = number("ospf.auth.crypt.seq_nbr", "Auth crypt sequence number", "").once();
    AUTH_DATA = bytes("ospf.auth.crypt.data", "Auth crypt data", "").once();
    AUTH_UNKNOWN = bytes("ospf.auth.unknown", "Auth unknown", "").once();
    HELLO = group("ospf.hello", "OSPF hello packet", "");
    MASK = ipv4("ospf.hello.network_mask", "Network mask", "").once();
    INTERFACE = number("ospf.hello.interface_id", "Interface ID", "").once();
    INTERVAL = number("ospf.hello.hello_interval", "Hello interval", "Seconds").once();
    PRIORITY = number("ospf.hello.router_priority", "Router priority", "").once();
    DEAD = number("ospf.hello.router_dead_interval", "Router dead interval", "Seconds").once();
    DR = ipv4("ospf.hello.designated_router", "Designated router", "").once();
    BACKUP = ipv4("ospf.hello.backup_designated_router", "Backup designated router", "").once();
    NEIGHBOUR = ipv4("ospf.hello.active_neighbor", "Active neighbor", "");
    OPTIONS_2 = number("ospf.v2.options", "Options", "").hex(2);
    O2_DN = bool("ospf.v2.options.dn", "DN", "").mask(0x80);
    O2_O = bool("ospf.v2.options.o", "O", "Opaque LSAs").mask(0x40);
    O2_DC = bool("ospf.v2.options.dc", "Demand circuits", "").mask(0x20);
    O2_L = bool("ospf.v2.options.l", "LLS data block", "").mask(0x10);
    O2_N = bool("ospf.v2.options.n", "NSSA", "").mask(0x08);
    O2_MC = bool("ospf.v2.options.mc", "Multicast", "").mask(0x04);
    O2_E = bool("ospf.v2.options.e", "External routing", "").mask(0x02);
    O2_MT = bool("ospf.v2.options.mt", "Multi-topology routing", "").mask(0x01);
    OPTIONS_3 = number("ospf.v3.options", "Options", "").hex(6);
    O3_AT = bool("ospf.v3.options.at", "AT", "Authentication trailer").mask(0x400);
    O3_L = bool("ospf.v3.options.l", "L", "LLS data block").mask(0x200);
    O3_AF = bool("ospf.v3.options.af", "AF", "Address families").mask(0x100);
    O3_DC = bool("ospf.v3.options.dc", "DC", "Demand circuits").mask(0x20);
    O3_R = bool("ospf.v3.options.r", "R", "Active router").mask(0x10);
    O3_N = bool("ospf.v3.options.n", "N", "NSSA").mask(0x08);
    O3_MC = bool("ospf.v3.options.mc", "MC", "Multicast").mask(0x04);
    O3_E = bool("ospf.v3.options.e", "E", "External routing").mask(0x02);
    O3_V6 = bool("ospf.v3.options.v6", "V6", "Forwards IPv6").mask(0x01);
    MTU = number("ospf.db.interface_mtu", "Interface MTU", "Bytes").once();
    DBD = number("ospf.dbd", "DB description", "").hex(2).once();
    DBD_R = bool("ospf.dbd.r", "OOBResync", "").mask(0x08).once();
    DBD_I = bool("ospf.dbd.i", "Init", "").mask(0x04).once();
    DBD_M = bool("ospf.dbd.m", "More", "").mask(0x02).once();
    DBD_MS = bool("ospf.dbd.ms", "Master", "").mask(0x01).once();
    DD_SEQUENCE = number("ospf.db.dd_sequence", "DD sequence", "").once();
    REQUEST = group("ospf.request", "Link state request", "").titled(title::kind);
    LINK_STATE = ipv4("ospf.link_state_id", "Link state ID", "");
    LSAS = number("ospf.ls.number_of_lsas", "Number of LSAs", "").once();
    LSA = group("ospf.entry", "LSA", "Link state advertisement").titled(title::kind);
    AGE = number("ospf.lsa.age", "LS age", "Seconds").mask(0x7fff);
    DO_NOT_AGE = number("ospf.lsa.donotage", "Do not age flag", "").mask(0x8000);
    TYPE = number("ospf.lsa", "LS type", "").names(LSA_TYPES);
    TYPE_3 = number("ospf.v3.lsa", "LS type", "").hex(4).names(LSA_TYPES_3);
    HANDLING = bool("ospf.v3.lsa.u", "LSA handling", "Flood although the type is unknown").mask(0x8000);
    SCOPE = number("ospf.v3.lsa.s12", "Flooding scope", "").hex(4).mask(0x6000).names(SCOPES);
    FUNCTION = number("ospf.v3.lsa.fc", "Function code", "").mask(0x1fff);
    ID = ipv4("ospf.lsa.id", "Link state ID", "");
    ADVERTISER = ipv4("ospf.advrouter", "Advertising router", "");
    SEQUENCE = number("ospf.lsa.seqnum", "Sequence number", "").hex(8);
    LSA_CHECKSUM = number("ospf.lsa.chksum", "Checksum", "").hex(4);
    LSA_LENGTH = number("ospf.lsa.length", "Length", "Bytes of header and body");
    BODY = bytes("ospf.lsa.body", "Body", "Undissected bytes");
    FLAGS = number("ospf.v2.router.lsa.flags", "Flags", "").hex(2);
    FLAG_H = bool("ospf.v2.router.lsa.flags.h", "H flag", "").mask(0x80);
    FLAG_N = bool("ospf.v2.router.lsa.flags.n", "N flag", "").mask(0x10);
    FLAG_W = bool("ospf.v2.router.lsa.flags.w", "Wild-card multicast receiver", "").mask(0x08);
    FLAG_V = bool("ospf.v2.router.lsa.flags.v", "Virtual link endpoint", "").mask(0x04);
    FLAG_E = bool("ospf.v2.router.lsa.flags.e", "AS boundary router", "").mask(0x02);
    FLAG_B = bool("ospf.v2.router.lsa.flags.b", "Area border router", "").mask(0x01);
    FLAGS_3 = number("ospf.v3.router.lsa.flags", "Flags", "").hex(2);
    FLAG_3_W = bool("ospf.v3.router.lsa.flags.w", "Wild-card multicast receiver", "").mask(0x08);
    FLAG_3_V = bool("ospf.v3.router.lsa.flags.v", "Virtual link endpoint", "").mask(0x04);
    FLAG_3_E = bool("ospf.v3.router.lsa.flags.e", "AS boundary router", "").mask(0x02);
    FLAG_3_B = bool("ospf.v3.router.lsa.flags.b", "Area border router", "").mask(0x01);
    LINKS = number("ospf.lsa.number_of_links", "Number of links", "");
    LINK = group("ospf.link", "Link", "").titled(title::kind);
    LINK_ID = ipv4("ospf.lsa.router.linkid", "Link ID", "");
    LINK_DATA = ipv4("ospf.lsa.router.linkdata", "Link data", "Mask of a stub network, else the router's address");
    LINK_TYPE = number("ospf.lsa.router.linktype", "Link type", "").names(LINK_TYPES);
    METRICS = number("ospf.lsa.router.nummetrics", "Number of metrics", "Metrics for types of service");
    METRIC_0 = number("ospf.lsa.router.metric0", "Metric 0", "");
    NETMASK = ipv4("ospf.lsa.network.netmask", "Netmask", "");
    ATTACHED = ipv4("ospf.lsa.network.attchrtr", "Attached router", "");
    SUMMARY_MASK = ipv4("ospf.lsa.asbr.netmask", "Netmask", "");
    EXTERNAL_MASK = ipv4("ospf.lsa.asext.netmask", "Netmask", "");
    EXTERNAL_TYPE = bool("ospf.lsa.asext.type", "External type", "Type 2: the metric is larger than any inside").mask(0x80);
    TOS = number("ospf.lsa.tos", "TOS", "Type of service").mask(0x7f);
    METRIC = number("ospf.metric", "Metric", "");
    FORWARDING = ipv4("ospf.lsa.asext.fwdaddr", "Forwarding address", "");
    TAG = number("ospf.lsa.asext.extrttag", "External route tag", "");
    PRIORITY_3 = number("ospf.v3.lsa.router_priority", "Router priority", "");
    LINK_LOCAL = ipv6("ospf.v3.lsa.link_local_interface_address.ipv6", "Link-local interface address", "");
    PREFIXES = number("ospf.v3.lsa.num_prefixes", "Number of prefixes", "");
    PREFIX = group("ospf.prefix", "Prefix", "");
    PREFIX_LENGTH = number("ospf.prefix_length", "Prefix length", "Bits");
    PREFIX_OPTIONS = number("ospf.v3.prefix.options", "Prefix options", "").hex(2);
    PREFIX_P = bool("ospf.v3.prefix.options.p", "P", "Propagate").mask(0x08);
    PREFIX_MC = bool("ospf.v3.prefix.options.mc", "MC", "Multicast").mask(0x04);
    PREFIX_LA = bool("ospf.v3.prefix.options.la", "LA", "Local address").mask(0x02);
    PREFIX_NU = bool("ospf.v3.prefix.options.nu", "NU", "No unicast").mask(0x01);
    ADDRESS_PREFIX = text("ospf.v3.address_prefix.ipv6", "Address prefix", "");
    LINK_TYPE_3 = number("ospf.v3.lsa.type", "Type", "").names(LINK_TYPES);
    OWN_INTERFACE = number("ospf.v3.lsa.interface_id", "Interface ID", "");
    NEIGHBOUR_INTERFACE = number("ospf.v3.lsa.neighbor_interface_id", "Neighbor interface ID", "");
    NEIGHBOUR_ROUTER = ipv4("ospf.v3.lsa.neighbor_router_id", "Neighbor router ID", "");
    ATTACHED_3 = ipv4("ospf.v3.lsa.attached_router", "Attached router", "");
    DESTINATION = ipv4("ospf.v3.lsa.destination_router_id", "Destination router ID", "");
    EXTERNAL_FLAGS = number("ospf.v3.as.external.flags", "Flags", "").hex(2);
    EXTERNAL_E = bool("ospf.v3.as.external.flags.e", "E", "Type 2: the metric is larger than any inside").mask(0x04);
    EXTERNAL_F = bool("ospf.v3.as.external.flags.f", "F", "A forwarding address is included").mask(0x02);
    EXTERNAL_T = bool("ospf.v3.as.external.flags.t", "T", "An external route tag is included").mask(0x01);
    REFERENCED_TYPE = number("ospf.v3.lsa.referenced_ls_type", "Referenced LS type", "").hex(4).names(LSA_TYPES_3);
    REFERENCED_ID = ipv4("ospf.v3.lsa.referenced_link_state_id", "Referenced link state ID", "");
    REFERENCED_ROUTER = ipv4("ospf.v3.lsa.referenced_advertising_router", "Referenced advertising router", "");
    FORWARDING_3 = ipv6("ospf.v3.lsa.forwarding_address.ipv6", "Forwarding address", "");
    TAG_3 = number("ospf.v3.lsa.external_route_tag", "External route tag", "");
    LLS = group("ospf.lls", "OSPF LLS data block", "Link-local signaling");
    LLS_CHECKSUM = number("ospf.lls.checksum", "Checksum", "").hex(4).once();
    LLS_LENGTH = number("ospf.lls.data_length", "LLS data length", "Units of four bytes").once();
    TLV_TYPE = number("ospf.tlv_type", "TLV type", "").names(TLVS);
    TLV_LENGTH = number("ospf.tlv_length", "TLV length", "Bytes of the value");
    TLV_VALUE = bytes("ospf.tlv.unknown", "Unknown TLV", "");
    EXTENDED = number("ospf.lls.ext.options", "Options", "").hex(8).once();
    EXTENDED_RS = bool("ospf.lls.ext.options.rs", "Restart signal", "").mask(0x02).once();
    EXTENDED_LR = bool("ospf.lls.ext.options.lr", "LSDB resynchronization", "").mask(0x01).once();
    LLS_SEQUENCE = number("ospf.v2.lls.sequence_number", "Sequence number", "").hex(8).once();
    LLS_AUTH = bytes("ospf.v2.lls.auth_data", "Auth data", "").once();
    DATA = bytes("ospf.data", "Data", "Undissected bytes");
}

pub(super) const TYPES: Names =
    &[(1, "Hello Packet"), (2, "DB Description"), (3, "LS Request"), (4, "LS Update"), (5, "LS Acknowledge")];
pub(super) const AUTH_TYPES: Names = &[(0, "Null"), (1, "Simple password"), (2, "Cryptographic")];
pub(super) const LSA_TYPES: Names = &[
    (1, "Router-LSA"),
    (2, "Network-LSA"),
    (3, "Summary-LSA (IP network)"),
    (4, "Summary-LSA (ASBR)"),
    (5, "AS-External-LSA (ASBR)"),
    (6, "Group Membership LSA"),
    (7, "NSSA AS-External-LSA"),
    (9, "Opaque LSA, link-local scope"),
    (10, "Opaque LSA, area-local scope"),
    (11, "Opaque LSA, AS scope"),
];
pub(super) const LSA_TYPES_3: Names = &[
    (0x0008, "Link-LSA"),
    (0x2001, "Router-LSA"),
    (0x2002, "Network-LSA"),
    (0x2003, "Inter-Area-Prefix-LSA"),
    (0x2004, "Inter-Area-Router-LSA"),
    (0x2007, "NSSA-LSA"),
    (0x2009, "Intra-Area-Prefix-LSA"),
    (0x4005, "AS-External-LSA"),
];
pub(super) const SCOPES: Names = &[(0, "link-local"), (1, "area"), (2, "AS"), (3, "reserved")];
pub(super) const LINK_TYPES: Names = &[(1, "point-to-point"), (2, "transit network"), (3, "stub network"), (4, "virtual link")];
pub(super) const TLVS: Names = &[(1, "Extended options"), (2, "Crypto authentication")];
