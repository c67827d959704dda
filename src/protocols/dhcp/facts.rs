//! The fields of DHCP, and its options (RFC 2132 and later): what number, what kind of value, which field.

use crate::tree::{Field, Names, fields};

/// What an option holds.
pub(super) enum Is {
    /// Addresses of IPv4.
    Ips(&'static Field),
    /// Text, possibly with NULs at its end.
    Text(&'static Field),
    /// A byte that is true or false.
    Flag(&'static Field),
    U8(&'static Field),
    U16(&'static Field),
    U32(&'static Field),
    I32(&'static Field),
}

fields! {
    DHCP = protocol("dhcp", "DHCP", "Dynamic Host Configuration Protocol")
        .covers("Messages of DHCP and BOOTP, options by their types, also those in the fields for names")
        .leaves_open("What vendors put into their own options; options that are cut into several");
    TYPE = number("dhcp.type", "Message type", "Who speaks").names(&[(1, "request"), (2, "reply")]);
    HW_TYPE = number("dhcp.hw.type", "Hardware type", "Kind of hardware address").hex(2);
    HW_LEN = number("dhcp.hw.len", "Hardware address length", "Bytes of it that count");
    HOPS = number("dhcp.hops", "Hops", "Relays on the way");
    ID = number("dhcp.id", "Transaction ID", "Repeated by the answer").hex(8);
    SECS = number("dhcp.secs", "Seconds elapsed", "Since the client began");
    FLAGS = number("dhcp.flags", "Flags", "How to answer").hex(4);
    BROADCAST = bool("dhcp.flags.bc", "Broadcast", "The answer shall go to everybody").mask(0x8000);
    RESERVED = number("dhcp.flags.reserved", "Reserved", "Zero").hex(4).mask(0x7fff);
    CLIENT = ipv4("dhcp.ip.client", "Client address", "The address that the client has");
    YOUR = ipv4("dhcp.ip.your", "Your address", "The address that the client gets");
    SERVER = ipv4("dhcp.ip.server", "Next server", "Where to boot from");
    RELAY = ipv4("dhcp.ip.relay", "Relay agent", "Who passed the message on");
    MAC = mac("dhcp.hw.mac_addr", "Client MAC address", "Whom it is about");
    HW_ADDR = bytes("dhcp.hw.addr", "Client hardware address", "Whom it is about");
    HW_PADDING = bytes("dhcp.hw.addr_padding", "Hardware address padding", "Nothing");
    SERVER_NAME = text("dhcp.server", "Server name", "Where to boot from");
    FILE = text("dhcp.file", "Boot file", "What to boot");
    COOKIE = ipv4("dhcp.cookie", "Magic cookie", "99.130.83.99, then options follow");
    VENDOR = bytes("dhcp.vendor", "Vendor area", "Anything, where no cookie stands");
    OPTION = group("dhcp.option", "option", "An option");
    OPT_TYPE = number("dhcp.option.type", "Option", "Which option").names(NAMES);
    OPT_LENGTH = number("dhcp.option.length", "Length", "Bytes of the value");
    OPT_VALUE = bytes("dhcp.option.value", "Value", "What the option says");
    OPT_PADDING = bytes("dhcp.option.padding", "Padding", "Nothing");
    OPT_END = number("dhcp.option.end", "End", "255");
    REQUEST_ITEM = number("dhcp.option.request_list_item", "Requested", "An option that the client wants").names(NAMES);
    ID_TYPE = number("dhcp.client_id.type", "Identifier type", "A kind of hardware, or 255 for a DUID");
    ID_TEXT = bytes("dhcp.client_id", "Identifier", "Who the client is");
    FQDN_FLAGS = number("dhcp.fqdn.flags", "Flags", "Who changes DNS").hex(2);
    FQDN_N = bool("dhcp.fqdn.n", "No update", "The server shall leave DNS alone").mask(0x08);
    FQDN_E = bool("dhcp.fqdn.e", "Encoded", "The name stands as in DNS").mask(0x04);
    FQDN_O = bool("dhcp.fqdn.o", "Overridden", "The server decided otherwise").mask(0x02);
    FQDN_S = bool("dhcp.fqdn.s", "Server", "The server changes the address record").mask(0x01);
    FQDN_RCODE1 = number("dhcp.fqdn.rcode1", "Address result", "Of old servers");
    FQDN_RCODE2 = number("dhcp.fqdn.rcode2", "Pointer result", "Of old servers");
    FQDN_NAME = text("dhcp.fqdn.name", "Client name", "Name of the client");
    SEARCH = text("dhcp.option.dhcp_dns_domain_search_list_fqdn", "Search domain", "Tried behind short names");
    ARCHITECTURE = number("dhcp.option.client_system_architecture", "System architecture", "What the client boots").names(ARCHITECTURES);
    SUBOPTION = group("dhcp.option.suboption", "part", "A part of an option");
    SUB_TYPE = number("dhcp.option.suboption.type", "Part", "Which part");
    SUB_LENGTH = number("dhcp.option.suboption_length", "Length", "Bytes of the part");
    SUB_VALUE = bytes("dhcp.option.suboption.value", "Value", "What it says");
    ROUTE = text("dhcp.option.classless_static_route", "Route", "A network and the way to it");
    DATA = bytes("dhcp.data", "Data", "Bytes that are not explained");
    NO_END = odd("dhcp.end_option_missing", "no end", "The options have no end");

    SUBNET_MASK = ipv4("dhcp.option.subnet_mask", "Subnet mask", "Of the client's network");
    TIME_OFFSET = number("dhcp.option.time_offset", "Time offset", "Seconds east of Greenwich");
    ROUTER = ipv4("dhcp.option.router", "Router", "The way out");
    TIME_SERVER = ipv4("dhcp.option.time_server", "Time server", "A server");
    NAME_SERVER = ipv4("dhcp.option.name_server", "Name server", "A server");
    DOMAIN_NAME_SERVER = ipv4("dhcp.option.domain_name_server", "Domain name server", "A server");
    LOG_SERVER = ipv4("dhcp.option.log_server", "Log server", "A server");
    QUOTES_SERVER = ipv4("dhcp.option.quotes_server", "Quotes server", "A server");
    LPR_SERVER = ipv4("dhcp.option.lpr_server", "LPR server", "A server");
    IMPRESS_SERVER = ipv4("dhcp.option.impress_server", "Impress server", "A server");
    RESOURCE_LOCATION_SERVER = ipv4("dhcp.option.resource_location_server", "Resource location server", "A server");
    HOSTNAME = text("dhcp.option.hostname", "Host name", "Name of the client");
    BOOT_FILE_SIZE = number("dhcp.option.boot_file_size", "Boot file size", "Units of 512 bytes");
    MERIT_DUMP_FILE = text("dhcp.option.merit_dump_file", "Merit dump file", "Where the client leaves a dump");
    DOMAIN_NAME = text("dhcp.option.domain_name", "Domain name", "Of the client's network");
    SWAP_SERVER = ipv4("dhcp.option.swap_server", "Swap server", "A server");
    ROOT_PATH = text("dhcp.option.root_path", "Root path", "Of the client's files");
    EXTENSION_PATH = text("dhcp.option.extension_path", "Extensions path", "Where more options are");
    IP_FORWARDING = bool("dhcp.option.ip_forwarding", "IP forwarding", "Whether the client forwards packets");
    NON_LOCAL_SOURCE_ROUTING = bool("dhcp.option.non_local_source_routing", "Non-local source routing", "Whether the client does that");
    MAX_DATAGRAM_REASSEMBLY_SIZE = number("dhcp.option.max_datagram_reassembly_size", "Largest datagram", "Bytes that the client puts together");
    DEFAULT_IP_TTL = number("dhcp.option.default_ip_ttl", "Default time to live", "Of the client's packets");
    PATH_MTU_AGING_TIMEOUT = number("dhcp.option.path_mtu_aging_timeout", "Path MTU timeout", "Seconds");
    INTERFACE_MTU = number("dhcp.option.interface_mtu", "Interface MTU", "The largest packet that passes");
    ALL_SUBNETS_ARE_LOCAL = bool("dhcp.option.all_subnets_are_local", "All subnets are local", "Whether they have one MTU");
    BROADCAST_ADDRESS = ipv4("dhcp.option.broadcast_address", "Broadcast address", "Of the client's network");
    PERFORM_MASK_DISCOVERY = bool("dhcp.option.perform_mask_discovery", "Mask discovery", "Whether the client asks for its mask");
    MASK_SUPPLIER = bool("dhcp.option.mask_supplier", "Mask supplier", "Whether the client tells masks");
    PERFORM_ROUTER_DISCOVER = bool("dhcp.option.perform_router_discover", "Router discovery", "Whether the client asks for routers");
    ROUTER_SOLICITATION_ADDRESS = ipv4("dhcp.option.router_solicitation_address", "Router solicitation address", "Where it asks");
    TRAILER_ENCAPSULATION = bool("dhcp.option.trailer_encapsulation", "Trailer encapsulation", "Whether the client uses trailers");
    ARP_CACHE_TIMEOUT = number("dhcp.option.arp_cache_timeout", "ARP cache timeout", "Seconds");
    ETHERNET_ENCAPSULATION = bool("dhcp.option.ethernet_encapsulation", "Ethernet encapsulation", "True for 802.3");
    TCP_DEFAULT_TTL = number("dhcp.option.tcp_default_ttl", "TCP default time to live", "Of the client's segments");
    TCP_KEEPALIVE_INTERVAL = number("dhcp.option.tcp_keepalive_interval", "TCP keepalive interval", "Seconds");
    TCP_KEEPALIVE_GARBAGE = bool("dhcp.option.tcp_keepalive_garbage", "TCP keepalive garbage", "Whether a byte goes with it");
    NIS_DOMAIN = text("dhcp.option.nis_domain", "NIS domain", "Of the client");
    NIS_SERVER = ipv4("dhcp.option.nis_server", "NIS server", "A server");
    NTP_SERVER = ipv4("dhcp.option.ntp_server", "NTP server", "A server");
    NETBIOS_OVER_TCPIP_NAME_SERVER = ipv4("dhcp.option.netbios_over_tcpip_name_server", "NetBIOS name server", "A server");
    NETBIOS_OVER_TCPIP_DD_NAME_SERVER = ipv4("dhcp.option.netbios_over_tcpip_dd_name_server", "NetBIOS distribution server", "A server");
    NETBIOS_OVER_TCPIP_NODE_TYPE = number("dhcp.option.netbios_over_tcpip_node_type", "NetBIOS node type", "How the client looks for names").names(KINDS_OF_NODES);
    NETBIOS_OVER_TCPIP_SCOPE = text("dhcp.option.netbios_over_tcpip_scope", "NetBIOS scope", "Of the client's names");
    XWINDOWS_SYSTEM_FONT_SERVER = ipv4("dhcp.option.xwindows_system_font_server", "X font server", "A server");
    XWINDOWS_SYSTEM_DISPLAY_MANAGER = ipv4("dhcp.option.xwindows_system_display_manager", "X display manager", "A server");
    REQUESTED_IP_ADDRESS = ipv4("dhcp.option.requested_ip_address", "Requested IP address", "The address that the client wants");
    IP_ADDRESS_LEASE_TIME = number("dhcp.option.ip_address_lease_time", "Lease time", "Seconds");
    OPTION_OVERLOAD = number("dhcp.option.option_overload", "Option overload", "What else holds options: 1 file, 2 server name, 3 both");
    MESSAGE_KIND = number("dhcp.option.dhcp", "DHCP", "What kind of message it is").names(MESSAGES);
    DHCP_SERVER_ID = ipv4("dhcp.option.dhcp_server_id", "Server identifier", "Who is meant or speaks");
    MESSAGE = text("dhcp.option.message", "Message", "Words from the server");
    DHCP_MAX_MESSAGE_SIZE = number("dhcp.option.dhcp_max_message_size", "Largest message", "Bytes that the client takes");
    RENEWAL_TIME_VALUE = number("dhcp.option.renewal_time_value", "Renewal time", "Seconds");
    REBINDING_TIME_VALUE = number("dhcp.option.rebinding_time_value", "Rebinding time", "Seconds");
    VENDOR_CLASS_ID = text("dhcp.option.vendor_class_id", "Vendor class", "What the client is");
    NIS_PLUS_DOMAIN = text("dhcp.option.nis_plus_domain", "NIS+ domain", "Of the client");
    NIS_PLUS_SERVER = ipv4("dhcp.option.nis_plus_server", "NIS+ server", "A server");
    TFTP_SERVER_NAME = text("dhcp.option.tftp_server_name", "TFTP server name", "Where the boot file is");
    BOOTFILE_NAME = text("dhcp.option.bootfile_name", "Boot file name", "What the client starts");
    MOBILE_IP_HOME_AGENT = ipv4("dhcp.option.mobile_ip_home_agent", "Home agent", "A server");
    SMTP_SERVER = ipv4("dhcp.option.smtp_server", "SMTP server", "A server");
    POP3_SERVER = ipv4("dhcp.option.pop3_server", "POP3 server", "A server");
    NNTP_SERVER = ipv4("dhcp.option.nntp_server", "NNTP server", "A server");
    DEFAULT_WWW_SERVER = ipv4("dhcp.option.default_www_server", "WWW server", "A server");
    DEFAULT_FINGER_SERVER = ipv4("dhcp.option.default_finger_server", "Finger server", "A server");
    DEFAULT_IRC_SERVER = ipv4("dhcp.option.default_irc_server", "IRC server", "A server");
    CLIENT_LAST_TRANSACTION_TIME = number("dhcp.option.client_last_transaction_time", "Last transaction", "Seconds ago");
    TZ_PCODE = text("dhcp.option.tz_pcode", "POSIX time zone", "Where the client is");
    TZ_TCODE = text("dhcp.option.tz_tcode", "Time zone", "Where the client is");
    CAPTIVE_PORTAL = text("dhcp.option.captive_portal", "Captive portal", "Where the client must log in");
    DHCP_AUTO_CONFIGURATION = number("dhcp.option.dhcp_auto_configuration", "Auto-configuration", "Whether the client may choose an address");
    SUBNET_SELECTION_OPTION = ipv4("dhcp.option.subnet_selection_option", "Subnet selection", "Where the address shall be from");
    TFTP_SERVER_ADDRESS = ipv4("dhcp.option.tftp_server_address", "TFTP server address", "A server");
    PXE_CONFIG_FILE = text("dhcp.option.pxe_config_file", "PXELINUX configuration", "A file");
    PXE_PATH_PREFIX = text("dhcp.option.pxe_path_prefix", "PXELINUX path prefix", "Where files are");
    PRIVATE_PROXY_AUTODISCOVERY = text("dhcp.option.private_proxy_autodiscovery", "Proxy discovery", "Where the proxy's configuration is");
}

/// The options whose value is one of these.
pub(super) const OPTIONS: &[(u8, Is)] = &[
    (1, Is::Ips(&SUBNET_MASK)),
    (2, Is::I32(&TIME_OFFSET)),
    (3, Is::Ips(&ROUTER)),
    (4, Is::Ips(&TIME_SERVER)),
    (5, Is::Ips(&NAME_SERVER)),
    (6, Is::Ips(&DOMAIN_NAME_SERVER)),
    (7, Is::Ips(&LOG_SERVER)),
    (8, Is::Ips(&QUOTES_SERVER)),
    (9, Is::Ips(&LPR_SERVER)),
    (10, Is::Ips(&IMPRESS_SERVER)),
    (11, Is::Ips(&RESOURCE_LOCATION_SERVER)),
    (12, Is::Text(&HOSTNAME)),
    (13, Is::U16(&BOOT_FILE_SIZE)),
    (14, Is::Text(&MERIT_DUMP_FILE)),
    (15, Is::Text(&DOMAIN_NAME)),
    (16, Is::Ips(&SWAP_SERVER)),
    (17, Is::Text(&ROOT_PATH)),
    (18, Is::Text(&EXTENSION_PATH)),
    (19, Is::Flag(&IP_FORWARDING)),
    (20, Is::Flag(&NON_LOCAL_SOURCE_ROUTING)),
    (22, Is::U16(&MAX_DATAGRAM_REASSEMBLY_SIZE)),
    (23, Is::U8(&DEFAULT_IP_TTL)),
    (24, Is::U32(&PATH_MTU_AGING_TIMEOUT)),
    (26, Is::U16(&INTERFACE_MTU)),
    (27, Is::Flag(&ALL_SUBNETS_ARE_LOCAL)),
    (28, Is::Ips(&BROADCAST_ADDRESS)),
    (29, Is::Flag(&PERFORM_MASK_DISCOVERY)),
    (30, Is::Flag(&MASK_SUPPLIER)),
    (31, Is::Flag(&PERFORM_ROUTER_DISCOVER)),
    (32, Is::Ips(&ROUTER_SOLICITATION_ADDRESS)),
    (34, Is::Flag(&TRAILER_ENCAPSULATION)),
    (35, Is::U32(&ARP_CACHE_TIMEOUT)),
    (36, Is::Flag(&ETHERNET_ENCAPSULATION)),
    (37, Is::U8(&TCP_DEFAULT_TTL)),
    (38, Is::U32(&TCP_KEEPALIVE_INTERVAL)),
    (39, Is::Flag(&TCP_KEEPALIVE_GARBAGE)),
    (40, Is::Text(&NIS_DOMAIN)),
    (41, Is::Ips(&NIS_SERVER)),
    (42, Is::Ips(&NTP_SERVER)),
    (44, Is::Ips(&NETBIOS_OVER_TCPIP_NAME_SERVER)),
    (45, Is::Ips(&NETBIOS_OVER_TCPIP_DD_NAME_SERVER)),
    (46, Is::U8(&NETBIOS_OVER_TCPIP_NODE_TYPE)),
    (47, Is::Text(&NETBIOS_OVER_TCPIP_SCOPE)),
    (48, Is::Ips(&XWINDOWS_SYSTEM_FONT_SERVER)),
    (49, Is::Ips(&XWINDOWS_SYSTEM_DISPLAY_MANAGER)),
    (50, Is::Ips(&REQUESTED_IP_ADDRESS)),
    (51, Is::U32(&IP_ADDRESS_LEASE_TIME)),
    (52, Is::U8(&OPTION_OVERLOAD)),
    (53, Is::U8(&MESSAGE_KIND)),
    (54, Is::Ips(&DHCP_SERVER_ID)),
    (56, Is::Text(&MESSAGE)),
    (57, Is::U16(&DHCP_MAX_MESSAGE_SIZE)),
    (58, Is::U32(&RENEWAL_TIME_VALUE)),
    (59, Is::U32(&REBINDING_TIME_VALUE)),
    (60, Is::Text(&VENDOR_CLASS_ID)),
    (64, Is::Text(&NIS_PLUS_DOMAIN)),
    (65, Is::Ips(&NIS_PLUS_SERVER)),
    (66, Is::Text(&TFTP_SERVER_NAME)),
    (67, Is::Text(&BOOTFILE_NAME)),
    (68, Is::Ips(&MOBILE_IP_HOME_AGENT)),
    (69, Is::Ips(&SMTP_SERVER)),
    (70, Is::Ips(&POP3_SERVER)),
    (71, Is::Ips(&NNTP_SERVER)),
    (72, Is::Ips(&DEFAULT_WWW_SERVER)),
    (73, Is::Ips(&DEFAULT_FINGER_SERVER)),
    (74, Is::Ips(&DEFAULT_IRC_SERVER)),
    (91, Is::U32(&CLIENT_LAST_TRANSACTION_TIME)),
    (100, Is::Text(&TZ_PCODE)),
    (101, Is::Text(&TZ_TCODE)),
    (114, Is::Text(&CAPTIVE_PORTAL)),
    (116, Is::U8(&DHCP_AUTO_CONFIGURATION)),
    (118, Is::Ips(&SUBNET_SELECTION_OPTION)),
    (150, Is::Ips(&TFTP_SERVER_ADDRESS)),
    (209, Is::Text(&PXE_CONFIG_FILE)),
    (210, Is::Text(&PXE_PATH_PREFIX)),
    (252, Is::Text(&PRIVATE_PROXY_AUTODISCOVERY)),
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
