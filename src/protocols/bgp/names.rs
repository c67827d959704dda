//! Names of numbers, as IANA lists them.

use crate::tree::Names;

pub(super) const TYPES: Names = &[
    (1, "OPEN Message"),
    (2, "UPDATE Message"),
    (3, "NOTIFICATION Message"),
    (4, "KEEPALIVE Message"),
    (5, "ROUTE-REFRESH Message"),
    (6, "CAPABILITY Message"),
    (128, "Cisco ROUTE-REFRESH Message"),
];
pub(super) const PARAMETERS: Names = &[(1, "Authentication"), (2, "Capability")];
pub(super) const CAPABILITIES: Names = &[
    (1, "Multiprotocol extensions capability"),
    (2, "Route refresh capability"),
    (3, "Cooperative route filtering capability"),
    (4, "Multiple routes to a destination capability"),
    (5, "Extended Next Hop Encoding"),
    (6, "BGP-Extended Message"),
    (9, "BGP Role"),
    (64, "Graceful Restart capability"),
    (65, "Support for 4-octet AS number capability"),
    (67, "Support for Dynamic capability"),
    (68, "Multisession BGP capability"),
    (69, "Support for Additional Paths"),
    (70, "Enhanced route refresh capability"),
    (71, "Long-Lived Graceful Restart (LLGR) Capability"),
    (73, "FQDN Capability"),
    (128, "Route refresh capability (Cisco)"),
    (130, "Cooperative route filtering capability (Cisco)"),
    (131, "Multisession BGP capability (Cisco)"),
];
pub(super) const AFIS: Names =
    &[(0, "Reserved"), (1, "IPv4"), (2, "IPv6"), (25, "Layer-2 VPN"), (16_388, "BGP-LS"), (16_397, "LISP")];
pub(super) const SAFIS: Names = &[
    (1, "Unicast"),
    (2, "Multicast"),
    (3, "Unicast+Multicast"),
    (4, "Labeled Unicast"),
    (5, "MCAST-VPN"),
    (65, "VPLS"),
    (66, "BGP MDT"),
    (70, "EVPN"),
    (71, "BGP-LS"),
    (72, "BGP-LS-VPN"),
    (73, "SR Policy"),
    (128, "Labeled VPN Unicast"),
    (129, "Labeled VPN Multicast"),
    (132, "Route Target Filter"),
    (133, "Flow Spec Filter"),
    (134, "Flow Spec Filter VPN"),
];
pub(super) const CODES: Names = &[
    (1, "Message Header Error"),
    (2, "OPEN Message Error"),
    (3, "UPDATE Message Error"),
    (4, "Hold Timer Expired"),
    (5, "Finite State Machine Error"),
    (6, "Cease"),
    (7, "CAPABILITY Message Error"),
];
pub(super) const HEADER_ERRORS: Names = &[(1, "Connection Not Synchronized"), (2, "Bad Message Length"), (3, "Bad Message Type")];
pub(super) const OPEN_ERRORS: Names = &[
    (1, "Unsupported Version Number"),
    (2, "Bad Peer AS"),
    (3, "Bad BGP Identifier"),
    (4, "Unsupported Optional Parameter"),
    (5, "Authentication Failure [Deprecated]"),
    (6, "Unacceptable Hold Time"),
    (7, "Unsupported Capability"),
];
pub(super) const UPDATE_ERRORS: Names = &[
    (1, "Malformed Attribute List"),
    (2, "Unrecognized Well-known Attribute"),
    (3, "Missing Well-known Attribute"),
    (4, "Attribute Flags Error"),
    (5, "Attribute Length Error"),
    (6, "Invalid ORIGIN Attribute"),
    (7, "AS Routing Loop [Deprecated]"),
    (8, "Invalid NEXT_HOP Attribute"),
    (9, "Optional Attribute Error"),
    (10, "Invalid Network Field"),
    (11, "Malformed AS_PATH"),
];
pub(super) const STATE_ERRORS: Names = &[
    (0, "Unspecified Error"),
    (1, "Receive Unexpected Message in OpenSent State"),
    (2, "Receive Unexpected Message in OpenConfirm State"),
    (3, "Receive Unexpected Message in Established State"),
];
pub(super) const CEASE_ERRORS: Names = &[
    (1, "Maximum Number of Prefixes Reached"),
    (2, "Administratively Shutdown"),
    (3, "Peer De-configured"),
    (4, "Administratively Reset"),
    (5, "Connection Rejected"),
    (6, "Other Configuration Change"),
    (7, "Connection Collision Resolution"),
    (8, "Out of Resources"),
    (9, "Hard Reset"),
    (10, "BFD Down"),
];
/// Subcodes by code.
pub(super) const SUBCODES: &[(u8, Names)] =
    &[(1, HEADER_ERRORS), (2, OPEN_ERRORS), (3, UPDATE_ERRORS), (5, STATE_ERRORS), (6, CEASE_ERRORS)];
pub(super) const REFRESHES: Names = &[
    (0, "Normal route refresh request"),
    (1, "Demarcation of the beginning of a route refresh"),
    (2, "Demarcation of the ending of a route refresh"),
];
pub(super) const ATTRIBUTES: Names = &[
    (1, "ORIGIN"),
    (2, "AS_PATH"),
    (3, "NEXT_HOP"),
    (4, "MULTI_EXIT_DISC"),
    (5, "LOCAL_PREF"),
    (6, "ATOMIC_AGGREGATE"),
    (7, "AGGREGATOR"),
    (8, "COMMUNITIES"),
    (9, "ORIGINATOR_ID"),
    (10, "CLUSTER_LIST"),
    (14, "MP_REACH_NLRI"),
    (15, "MP_UNREACH_NLRI"),
    (16, "EXTENDED_COMMUNITIES"),
    (17, "AS4_PATH"),
    (18, "AS4_AGGREGATOR"),
    (22, "PMSI_TUNNEL_ATTRIBUTE"),
    (23, "TUNNEL_ENCAPSULATION_ATTRIBUTE"),
    (26, "AIGP"),
    (29, "BGP-LS Attribute"),
    (32, "LARGE_COMMUNITY"),
    (33, "BGPSEC_PATH"),
    (35, "OTC"),
    (40, "BGP Prefix-SID"),
    (128, "ATTR_SET"),
];
pub(super) const SEGMENTS: Names = &[(1, "AS_SET"), (2, "AS_SEQUENCE"), (3, "AS_CONFED_SEQUENCE"), (4, "AS_CONFED_SET")];
pub(super) const COMMUNITIES: Names = &[
    (0xffff_0000, "GRACEFUL_SHUTDOWN"),
    (0xffff_0001, "ACCEPT_OWN"),
    (0xffff_0006, "LLGR_STALE"),
    (0xffff_0007, "NO_LLGR"),
    (0xffff_029a, "BLACKHOLE"),
    (0xffff_ff01, "NO_EXPORT"),
    (0xffff_ff02, "NO_ADVERTISE"),
    (0xffff_ff03, "NO_EXPORT_SUBCONFED"),
    (0xffff_ff04, "NOPEER"),
];
pub(super) const EXT_TYPES: Names = &[
    (0x00, "Transitive 2-Octet AS-Specific"),
    (0x01, "Transitive IPv4-Address-Specific"),
    (0x02, "Transitive 4-Octet AS-Specific"),
    (0x03, "Transitive Opaque"),
    (0x06, "EVPN"),
    (0x40, "Non-Transitive 2-Octet AS-Specific"),
    (0x43, "Non-Transitive Opaque"),
    (0x80, "Generic Transitive Experimental Use"),
];
pub(super) const EXT_SUBTYPES: Names = &[(0x02, "Route Target"), (0x03, "Route Origin"), (0x05, "OSPF Domain Identifier")];
pub(super) const TUNNELS: Names =
    &[(1, "L2TPv3"), (2, "GRE"), (7, "IP in IP"), (8, "VXLAN"), (9, "NVGRE"), (10, "MPLS"), (11, "MPLS in GRE")];
