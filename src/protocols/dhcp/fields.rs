//! DHCP fields, and the options (RFC 2132 and later) with the type and the field of their value.

use crate::tree::{Field, Names, fields, title};

/// Type of an option's value.
pub(super) enum OptionKind {
    /// IPv4 addresses.
    Ips(&'static Field),
    /// Text, possibly padded with NUL bytes.
    Text(&'static Field),
    /// Boolean byte.
    Flag(&'static Field),
    U8(&'static Field),
    U16(&'static Field),
    U32(&'static Field),
    I32(&'static Field),
}

fields! {
    DHCP = protocol("dhcp", "DHCP", "Dynamic Host Configuration Protocol")
        .covers("DHCP and BOOTP messages; options by code, also in the overloaded fields sname and file")
        .leaves_open("Vendor-specific options; long options that are split");
    TYPE = number("dhcp.type", "Message type", "op: 1 request, 2 reply").names(&[(1, "request"), (2, "reply")]).once();
    HW_TYPE = number("dhcp.hw.type", "Hardware type", "htype: as in ARP").hex(2).once();
    HW_LEN = number("dhcp.hw.len", "Hardware address length", "hlen: in bytes").once();
    HOPS = number("dhcp.hops", "Hops", "hops: relay agents that forwarded the message").once();
    ID = number("dhcp.id", "Transaction ID", "xid: copied into the reply").hex(8).once();
    SECS = number("dhcp.secs", "Seconds elapsed", "secs: since the client began to acquire or renew an address").once();
    FLAGS = number("dhcp.flags", "Flags", "").hex(4).once();
    BROADCAST = bool("dhcp.flags.bc", "Broadcast", "The client cannot receive unicast replies yet").mask(0x8000).once();
    RESERVED = number("dhcp.flags.reserved", "Reserved flags", "Must be zero").hex(4).mask(0x7fff).once();
    CLIENT = ipv4("dhcp.ip.client", "Client IP address", "ciaddr: address in use by the client").once();
    YOUR = ipv4("dhcp.ip.your", "Your (client) IP address", "yiaddr: address offered or assigned to the client").once();
    SERVER = ipv4("dhcp.ip.server", "Next server IP address", "siaddr: server of the next bootstrap step").once();
    RELAY = ipv4("dhcp.ip.relay", "Relay agent IP address", "giaddr: first relay agent on the path").once();
    MAC = mac("dhcp.hw.mac_addr", "Client MAC address", "chaddr of Ethernet clients");
    HW_ADDR = bytes("dhcp.hw.addr", "Client hardware address", "chaddr of other clients").once();
    HW_PADDING = bytes("dhcp.hw.addr_padding", "Client hardware address padding", "Rest of the 16 bytes of chaddr").once();
    SERVER_NAME = text("dhcp.server", "Server host name", "sname").once();
    FILE = text("dhcp.file", "Boot file name", "file").once();
    COOKIE = ipv4("dhcp.cookie", "Magic cookie", "99.130.83.99 announces options").once();
    VENDOR = bytes("dhcp.vendor", "Vendor area", "BOOTP vendor area without a magic cookie").once();
    OPTION = group("dhcp.option", "option", "RFC 2132").titled(title::kind);
    OPT_TYPE = number("dhcp.option.type", "Option", "").names(NAMES).once_per(&OPTION);
    OPT_LENGTH = number("dhcp.option.length", "Length", "In bytes").once_per(&OPTION);
    OPT_VALUE = bytes("dhcp.option.value", "Value", "Value without a specific field");
    OPT_PADDING = bytes("dhcp.option.padding", "Padding", "");
    OPT_END = number("dhcp.option.end", "Option end", "Always 255");
    REQUEST_ITEM = number("dhcp.option.request_list_item", "Parameter request list item", "").names(NAMES);
    ID_TYPE = number("dhcp.client_id.type", "Identifier type", "Hardware type; 255 for a DUID");
    ID_TEXT = bytes("dhcp.client_id", "Client identifier", "");
    FQDN_FLAGS = number("dhcp.fqdn.flags", "Flags", "RFC 4702").hex(2);
    FQDN_N = bool("dhcp.fqdn.n", "No DNS update", "The server does not update DNS").mask(0x08);
    FQDN_E = bool("dhcp.fqdn.e", "Canonical encoding", "The name is encoded as in DNS, not as ASCII").mask(0x04);
    FQDN_O = bool("dhcp.fqdn.o", "Server overrides", "The server overrode the S flag of the client").mask(0x02);
    FQDN_S = bool("dhcp.fqdn.s", "Server updates", "The server updates the A record").mask(0x01);
    FQDN_RCODE1 = number("dhcp.fqdn.rcode1", "A-RR result", "Deprecated response code");
    FQDN_RCODE2 = number("dhcp.fqdn.rcode2", "PTR-RR result", "Deprecated response code");
    FQDN_NAME = text("dhcp.fqdn.name", "Client name", "Domain name of the client");
    SEARCH = text("dhcp.option.dhcp_dns_domain_search_list_fqdn", "Domain search name", "Appended to short names, RFC 3397");
    ARCHITECTURE = number("dhcp.option.client_system_architecture", "Client system architecture", "RFC 4578").names(ARCHITECTURES);
    SUBOPTION = group("dhcp.option.suboption", "suboption", "Relay agent information, RFC 3046").titled(title::kind);
    SUB_TYPE = number("dhcp.option.suboption.type", "Suboption", "");
    SUB_LENGTH = number("dhcp.option.suboption_length", "Length", "In bytes");
    SUB_VALUE = bytes("dhcp.option.suboption.value", "Value", "");
    ROUTE = text("dhcp.option.classless_static_route", "Classless static route", "Destination, prefix length and router, RFC 3442");
    DATA = bytes("dhcp.data", "Data", "Undissected bytes").once();
    NO_END = odd("dhcp.end_option_missing", "end option missing", "The options lack the end option (255)");

    SUBNET_MASK = ipv4("dhcp.option.subnet_mask", "Subnet mask", "");
    TIME_OFFSET = number("dhcp.option.time_offset", "Time offset", "Seconds from UTC, positive to the east");
    ROUTER = ipv4("dhcp.option.router", "Router", "Default gateway");
    TIME_SERVER = ipv4("dhcp.option.time_server", "Time server", "RFC 868");
    NAME_SERVER = ipv4("dhcp.option.name_server", "Name server", "IEN 116");
    DOMAIN_NAME_SERVER = ipv4("dhcp.option.domain_name_server", "Domain name server", "DNS");
    LOG_SERVER = ipv4("dhcp.option.log_server", "Log server", "MIT-LCS UDP");
    QUOTES_SERVER = ipv4("dhcp.option.quotes_server", "Quotes server", "RFC 865");
    LPR_SERVER = ipv4("dhcp.option.lpr_server", "LPR server", "RFC 1179");
    IMPRESS_SERVER = ipv4("dhcp.option.impress_server", "Impress server", "Imagen Impress");
    RESOURCE_LOCATION_SERVER = ipv4("dhcp.option.resource_location_server", "Resource location server", "RFC 887");
    HOSTNAME = text("dhcp.option.hostname", "Host name", "Name of the client");
    BOOT_FILE_SIZE = number("dhcp.option.boot_file_size", "Boot file size", "Units of 512 bytes");
    MERIT_DUMP_FILE = text("dhcp.option.merit_dump_file", "Merit dump file", "Path of the core dump of a crashed client");
    DOMAIN_NAME = text("dhcp.option.domain_name", "Domain name", "Appended to host names");
    SWAP_SERVER = ipv4("dhcp.option.swap_server", "Swap server", "");
    ROOT_PATH = text("dhcp.option.root_path", "Root path", "Root file system of the client");
    EXTENSION_PATH = text("dhcp.option.extension_path", "Extensions path", "TFTP file with further options");
    IP_FORWARDING = bool("dhcp.option.ip_forwarding", "IP forwarding", "Whether the client forwards packets");
    NON_LOCAL_SOURCE_ROUTING = bool("dhcp.option.non_local_source_routing", "Non-local source routing", "Whether the client forwards source-routed packets");
    MAX_DATAGRAM_REASSEMBLY_SIZE = number("dhcp.option.max_datagram_reassembly_size", "Maximum datagram reassembly size", "In bytes");
    DEFAULT_IP_TTL = number("dhcp.option.default_ip_ttl", "Default IP time to live", "");
    PATH_MTU_AGING_TIMEOUT = number("dhcp.option.path_mtu_aging_timeout", "Path MTU aging timeout", "In seconds");
    INTERFACE_MTU = number("dhcp.option.interface_mtu", "Interface MTU", "In bytes");
    ALL_SUBNETS_ARE_LOCAL = bool("dhcp.option.all_subnets_are_local", "All subnets are local", "Whether all subnets have the MTU of the client's subnet");
    BROADCAST_ADDRESS = ipv4("dhcp.option.broadcast_address", "Broadcast address", "");
    PERFORM_MASK_DISCOVERY = bool("dhcp.option.perform_mask_discovery", "Perform mask discovery", "Whether the client requests its subnet mask by ICMP");
    MASK_SUPPLIER = bool("dhcp.option.mask_supplier", "Mask supplier", "Whether the client answers ICMP subnet mask requests");
    PERFORM_ROUTER_DISCOVER = bool("dhcp.option.perform_router_discover", "Perform router discovery", "RFC 1256");
    ROUTER_SOLICITATION_ADDRESS = ipv4("dhcp.option.router_solicitation_address", "Router solicitation address", "Destination of router solicitations");
    TRAILER_ENCAPSULATION = bool("dhcp.option.trailer_encapsulation", "Trailer encapsulation", "RFC 893, for ARP");
    ARP_CACHE_TIMEOUT = number("dhcp.option.arp_cache_timeout", "ARP cache timeout", "In seconds");
    ETHERNET_ENCAPSULATION = bool("dhcp.option.ethernet_encapsulation", "Ethernet encapsulation", "False: Ethernet II (RFC 894); true: IEEE 802.3 (RFC 1042)");
    TCP_DEFAULT_TTL = number("dhcp.option.tcp_default_ttl", "TCP default time to live", "");
    TCP_KEEPALIVE_INTERVAL = number("dhcp.option.tcp_keepalive_interval", "TCP keepalive interval", "In seconds; 0 disables keepalives");
    TCP_KEEPALIVE_GARBAGE = bool("dhcp.option.tcp_keepalive_garbage", "TCP keepalive garbage", "Whether keepalives carry a byte for old implementations");
    NIS_DOMAIN = text("dhcp.option.nis_domain", "NIS domain", "");
    NIS_SERVER = ipv4("dhcp.option.nis_server", "NIS server", "");
    NTP_SERVER = ipv4("dhcp.option.ntp_server", "NTP server", "");
    NETBIOS_OVER_TCPIP_NAME_SERVER = ipv4("dhcp.option.netbios_over_tcpip_name_server", "NetBIOS over TCP/IP name server", "");
    NETBIOS_OVER_TCPIP_DD_NAME_SERVER = ipv4("dhcp.option.netbios_over_tcpip_dd_name_server", "NetBIOS over TCP/IP datagram distribution server", "");
    NETBIOS_OVER_TCPIP_NODE_TYPE = number("dhcp.option.netbios_over_tcpip_node_type", "NetBIOS over TCP/IP node type", "1 B-node, 2 P-node, 4 M-node, 8 H-node").names(KINDS_OF_NODES);
    NETBIOS_OVER_TCPIP_SCOPE = text("dhcp.option.netbios_over_tcpip_scope", "NetBIOS over TCP/IP scope", "");
    XWINDOWS_SYSTEM_FONT_SERVER = ipv4("dhcp.option.xwindows_system_font_server", "X Window System font server", "");
    XWINDOWS_SYSTEM_DISPLAY_MANAGER = ipv4("dhcp.option.xwindows_system_display_manager", "X Window System display manager", "");
    REQUESTED_IP_ADDRESS = ipv4("dhcp.option.requested_ip_address", "Requested IP address", "");
    IP_ADDRESS_LEASE_TIME = number("dhcp.option.ip_address_lease_time", "IP address lease time", "In seconds");
    OPTION_OVERLOAD = number("dhcp.option.option_overload", "Option overload", "Fields that carry options: 1 file, 2 sname, 3 both");
    MESSAGE_KIND = number("dhcp.option.dhcp", "DHCP message type", "").names(MESSAGES);
    DHCP_SERVER_ID = ipv4("dhcp.option.dhcp_server_id", "DHCP server identifier", "");
    MESSAGE = text("dhcp.option.message", "Message", "Error message of the server, or reason of the client");
    DHCP_MAX_MESSAGE_SIZE = number("dhcp.option.dhcp_max_message_size", "Maximum DHCP message size", "In bytes");
    RENEWAL_TIME_VALUE = number("dhcp.option.renewal_time_value", "Renewal time value", "T1, in seconds");
    REBINDING_TIME_VALUE = number("dhcp.option.rebinding_time_value", "Rebinding time value", "T2, in seconds");
    VENDOR_CLASS_ID = text("dhcp.option.vendor_class_id", "Vendor class identifier", "Vendor and configuration of the client");
    NIS_PLUS_DOMAIN = text("dhcp.option.nis_plus_domain", "NIS+ domain", "");
    NIS_PLUS_SERVER = ipv4("dhcp.option.nis_plus_server", "NIS+ server", "");
    TFTP_SERVER_NAME = text("dhcp.option.tftp_server_name", "TFTP server name", "");
    BOOTFILE_NAME = text("dhcp.option.bootfile_name", "Boot file name", "");
    MOBILE_IP_HOME_AGENT = ipv4("dhcp.option.mobile_ip_home_agent", "Mobile IP home agent", "");
    SMTP_SERVER = ipv4("dhcp.option.smtp_server", "SMTP server", "");
    POP3_SERVER = ipv4("dhcp.option.pop3_server", "POP3 server", "");
    NNTP_SERVER = ipv4("dhcp.option.nntp_server", "NNTP server", "");
    DEFAULT_WWW_SERVER = ipv4("dhcp.option.default_www_server", "Default WWW server", "");
    DEFAULT_FINGER_SERVER = ipv4("dhcp.option.default_finger_server", "Default finger server", "");
    DEFAULT_IRC_SERVER = ipv4("dhcp.option.default_irc_server", "Default IRC server", "");
    CLIENT_LAST_TRANSACTION_TIME = number("dhcp.option.client_last_transaction_time", "Client last transaction time", "Seconds since the last transaction with the client");
    TZ_PCODE = text("dhcp.option.tz_pcode", "POSIX time zone", "RFC 4833");
    TZ_TCODE = text("dhcp.option.tz_tcode", "TZ database time zone", "RFC 4833");
    CAPTIVE_PORTAL = text("dhcp.option.captive_portal", "Captive portal", "URI of its API, RFC 8910");
    DHCP_AUTO_CONFIGURATION = number("dhcp.option.dhcp_auto_configuration", "Auto-configuration", "1 permits link-local addresses, RFC 2563");
    SUBNET_SELECTION_OPTION = ipv4("dhcp.option.subnet_selection_option", "Subnet selection", "Subnet to assign from, RFC 3011");
    TFTP_SERVER_ADDRESS = ipv4("dhcp.option.tftp_server_address", "TFTP server address", "");
    PXE_CONFIG_FILE = text("dhcp.option.pxe_config_file", "PXELINUX configuration file", "RFC 5071");
    PXE_PATH_PREFIX = text("dhcp.option.pxe_path_prefix", "PXELINUX path prefix", "RFC 5071");
    PRIVATE_PROXY_AUTODISCOVERY = text("dhcp.option.private_proxy_autodiscovery", "Proxy autodiscovery", "URL of the proxy configuration (WPAD)");
}

/// Options by kind of value.
pub(super) const OPTIONS: &[(u8, OptionKind)] = &[
    (1, OptionKind::Ips(&SUBNET_MASK)),
    (2, OptionKind::I32(&TIME_OFFSET)),
    (3, OptionKind::Ips(&ROUTER)),
    (4, OptionKind::Ips(&TIME_SERVER)),
    (5, OptionKind::Ips(&NAME_SERVER)),
    (6, OptionKind::Ips(&DOMAIN_NAME_SERVER)),
    (7, OptionKind::Ips(&LOG_SERVER)),
    (8, OptionKind::Ips(&QUOTES_SERVER)),
    (9, OptionKind::Ips(&LPR_SERVER)),
    (10, OptionKind::Ips(&IMPRESS_SERVER)),
    (11, OptionKind::Ips(&RESOURCE_LOCATION_SERVER)),
    (12, OptionKind::Text(&HOSTNAME)),
    (13, OptionKind::U16(&BOOT_FILE_SIZE)),
    (14, OptionKind::Text(&MERIT_DUMP_FILE)),
    (15, OptionKind::Text(&DOMAIN_NAME)),
    (16, OptionKind::Ips(&SWAP_SERVER)),
    (17, OptionKind::Text(&ROOT_PATH)),
    (18, OptionKind::Text(&EXTENSION_PATH)),
    (19, OptionKind::Flag(&IP_FORWARDING)),
    (20, OptionKind::Flag(&NON_LOCAL_SOURCE_ROUTING)),
    (22, OptionKind::U16(&MAX_DATAGRAM_REASSEMBLY_SIZE)),
    (23, OptionKind::U8(&DEFAULT_IP_TTL)),
    (24, OptionKind::U32(&PATH_MTU_AGING_TIMEOUT)),
    (26, OptionKind::U16(&INTERFACE_MTU)),
    (27, OptionKind::Flag(&ALL_SUBNETS_ARE_LOCAL)),
    (28, OptionKind::Ips(&BROADCAST_ADDRESS)),
    (29, OptionKind::Flag(&PERFORM_MASK_DISCOVERY)),
    (30, OptionKind::Flag(&MASK_SUPPLIER)),
    (31, OptionKind::Flag(&PERFORM_ROUTER_DISCOVER)),
    (32, OptionKind::Ips(&ROUTER_SOLICITATION_ADDRESS)),
    (34, OptionKind::Flag(&TRAILER_ENCAPSULATION)),
    (35, OptionKind::U32(&ARP_CACHE_TIMEOUT)),
    (36, OptionKind::Flag(&ETHERNET_ENCAPSULATION)),
    (37, OptionKind::U8(&TCP_DEFAULT_TTL)),
    (38, OptionKind::U32(&TCP_KEEPALIVE_INTERVAL)),
    (39, OptionKind::Flag(&TCP_KEEPALIVE_GARBAGE)),
    (40, OptionKind::Text(&NIS_DOMAIN)),
    (41, OptionKind::Ips(&NIS_SERVER)),
    (42, OptionKind::Ips(&NTP_SERVER)),
    (44, OptionKind::Ips(&NETBIOS_OVER_TCPIP_NAME_SERVER)),
    (45, OptionKind::Ips(&NETBIOS_OVER_TCPIP_DD_NAME_SERVER)),
    (46, OptionKind::U8(&NETBIOS_OVER_TCPIP_NODE_TYPE)),
    (47, OptionKind::Text(&NETBIOS_OVER_TCPIP_SCOPE)),
    (48, OptionKind::Ips(&XWINDOWS_SYSTEM_FONT_SERVER)),
    (49, OptionKind::Ips(&XWINDOWS_SYSTEM_DISPLAY_MANAGER)),
    (50, OptionKind::Ips(&REQUESTED_IP_ADDRESS)),
    (51, OptionKind::U32(&IP_ADDRESS_LEASE_TIME)),
    (52, OptionKind::U8(&OPTION_OVERLOAD)),
    (53, OptionKind::U8(&MESSAGE_KIND)),
    (54, OptionKind::Ips(&DHCP_SERVER_ID)),
    (56, OptionKind::Text(&MESSAGE)),
    (57, OptionKind::U16(&DHCP_MAX_MESSAGE_SIZE)),
    (58, OptionKind::U32(&RENEWAL_TIME_VALUE)),
    (59, OptionKind::U32(&REBINDING_TIME_VALUE)),
    (60, OptionKind::Text(&VENDOR_CLASS_ID)),
    (64, OptionKind::Text(&NIS_PLUS_DOMAIN)),
    (65, OptionKind::Ips(&NIS_PLUS_SERVER)),
    (66, OptionKind::Text(&TFTP_SERVER_NAME)),
    (67, OptionKind::Text(&BOOTFILE_NAME)),
    (68, OptionKind::Ips(&MOBILE_IP_HOME_AGENT)),
    (69, OptionKind::Ips(&SMTP_SERVER)),
    (70, OptionKind::Ips(&POP3_SERVER)),
    (71, OptionKind::Ips(&NNTP_SERVER)),
    (72, OptionKind::Ips(&DEFAULT_WWW_SERVER)),
    (73, OptionKind::Ips(&DEFAULT_FINGER_SERVER)),
    (74, OptionKind::Ips(&DEFAULT_IRC_SERVER)),
    (91, OptionKind::U32(&CLIENT_LAST_TRANSACTION_TIME)),
    (100, OptionKind::Text(&TZ_PCODE)),
    (101, OptionKind::Text(&TZ_TCODE)),
    (114, OptionKind::Text(&CAPTIVE_PORTAL)),
    (116, OptionKind::U8(&DHCP_AUTO_CONFIGURATION)),
    (118, OptionKind::Ips(&SUBNET_SELECTION_OPTION)),
    (150, OptionKind::Ips(&TFTP_SERVER_ADDRESS)),
    (209, OptionKind::Text(&PXE_CONFIG_FILE)),
    (210, OptionKind::Text(&PXE_PATH_PREFIX)),
    (252, OptionKind::Text(&PRIVATE_PROXY_AUTODISCOVERY)),
];

const ARCHITECTURES: Names = &[
    (0, "x86 BIOS"),
    (6, "x86 UEFI"),
    (7, "x64 UEFI"),
    (9, "EBC"),
    (10, "ARM 32-bit UEFI"),
    (11, "ARM 64-bit UEFI"),
    (15, "x86 UEFI from HTTP"),
    (16, "x64 UEFI from HTTP"),
];

/// Options by name.
pub(super) const NAMES: Names = &[
    (0, "pad"),
    (1, "subnet mask"),
    (2, "time offset"),
    (3, "router"),
    (4, "time server"),
    (5, "name server"),
    (6, "domain name server"),
    (7, "log server"),
    (8, "quotes server"),
    (9, "LPR server"),
    (10, "impress server"),
    (11, "resource location server"),
    (12, "host name"),
    (13, "boot file size"),
    (14, "merit dump file"),
    (15, "domain name"),
    (16, "swap server"),
    (17, "root path"),
    (18, "extensions path"),
    (19, "IP forwarding"),
    (20, "non-local source routing"),
    (22, "largest datagram"),
    (23, "default time to live"),
    (24, "path MTU timeout"),
    (26, "interface MTU"),
    (27, "all subnets are local"),
    (28, "broadcast address"),
    (29, "mask discovery"),
    (30, "mask supplier"),
    (31, "router discovery"),
    (32, "router solicitation address"),
    (34, "trailer encapsulation"),
    (35, "ARP cache timeout"),
    (36, "ethernet encapsulation"),
    (37, "TCP default time to live"),
    (38, "TCP keepalive interval"),
    (39, "TCP keepalive garbage"),
    (40, "NIS domain"),
    (41, "NIS server"),
    (42, "NTP server"),
    (43, "vendor-specific information"),
    (44, "NetBIOS name server"),
    (45, "NetBIOS distribution server"),
    (46, "NetBIOS node type"),
    (47, "NetBIOS scope"),
    (48, "X font server"),
    (49, "X display manager"),
    (50, "requested IP address"),
    (51, "lease time"),
    (52, "option overload"),
    (53, "message type"),
    (54, "server identifier"),
    (55, "parameter request list"),
    (56, "message"),
    (57, "largest message"),
    (58, "renewal time"),
    (59, "rebinding time"),
    (60, "vendor class"),
    (61, "client identifier"),
    (64, "NIS+ domain"),
    (65, "NIS+ server"),
    (66, "TFTP server name"),
    (67, "boot file name"),
    (68, "home agent"),
    (69, "SMTP server"),
    (70, "POP3 server"),
    (71, "NNTP server"),
    (72, "WWW server"),
    (73, "finger server"),
    (74, "IRC server"),
    (77, "user class"),
    (81, "client FQDN"),
    (82, "relay agent information"),
    (90, "authentication"),
    (91, "last transaction"),
    (93, "client system architecture"),
    (94, "client network interface"),
    (97, "client machine identifier"),
    (100, "POSIX time zone"),
    (101, "time zone"),
    (108, "IPv6-only preferred"),
    (114, "captive portal"),
    (116, "auto-configuration"),
    (118, "subnet selection"),
    (119, "domain search list"),
    (120, "SIP servers"),
    (121, "classless static routes"),
    (124, "vendor class"),
    (125, "vendor information"),
    (145, "force renew nonce capable"),
    (150, "TFTP server address"),
    (209, "PXELINUX configuration"),
    (210, "PXELINUX path prefix"),
    (249, "classless static routes, other number"),
    (252, "proxy discovery"),
    (255, "end"),
];

pub(super) const MESSAGES: Names = &[
    (1, "discover"),
    (2, "offer"),
    (3, "request"),
    (4, "decline"),
    (5, "ACK"),
    (6, "NAK"),
    (7, "release"),
    (8, "inform"),
    (9, "force renew"),
    (10, "lease query"),
    (11, "lease unassigned"),
    (12, "lease unknown"),
    (13, "lease active"),
    (14, "bulk lease query"),
    (15, "lease query done"),
    (16, "active lease query"),
    (17, "lease query status"),
    (18, "TLS"),
];

const KINDS_OF_NODES: Names = &[(1, "broadcast"), (2, "name server"), (4, "mixed"), (8, "hybrid")];
