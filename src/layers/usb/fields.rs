//! Fields and names of USB.

use crate::tree::{Names, fields, title};

fields! {
    USB = protocol("usb", "USB", "Universal Serial Bus");
    SRC = text("usb.src", "Source", "host, or bus.device.endpoint").also("usb.addr").once();
    DST = text("usb.dst", "Destination", "host, or bus.device.endpoint").also("usb.addr").once();

    URB_ID = number("usb.urb_id", "URB id", "Pairs submission and completion").hex(16).once();
    URB_TYPE = number("usb.urb_type", "URB type", "").character().names(URB_TYPES).once();
    TRANSFER_TYPE = number("usb.transfer_type", "URB transfer type", "").hex(2).names(TRANSFER_TYPES).once();
    ENDPOINT = number("usb.endpoint_address", "Endpoint", "USB endpoint address").hex(2).once();
    ENDPOINT_DIRECTION = number("usb.endpoint_address.direction", "Direction", "USB endpoint direction").mask(0x80).names(DIRECTIONS).once();
    ENDPOINT_NUMBER = number("usb.endpoint_address.number", "Endpoint number", "USB endpoint number").mask(0x0f).once();
    DEVICE = number("usb.device_address", "Device", "USB device address").once();
    BUS = number("usb.bus_id", "URB bus id", "").once();
    SETUP_FLAG = number("usb.setup_flag", "Device setup request", "0 if the setup packet is present").character().names(RELEVANCE).once();
    DATA_FLAG = number("usb.data_flag", "Data", "0 if data is present").character().names(PRESENCE).once();
    SECONDS = number("usb.urb_ts_sec", "URB sec", "Seconds since 1970").once();
    MICROSECONDS = number("usb.urb_ts_usec", "URB usec", "").once();
    STATUS = number("usb.urb_status", "URB status", "Negative Linux error number").once();
    URB_LENGTH = number("usb.urb_len", "URB length", "Bytes submitted or transferred").once();
    DATA_LENGTH = number("usb.data_len", "Data length", "Captured bytes").once();
    UNUSED_SETUP = bytes("usb.unused_setup_header", "Unused Setup Header", "").valueless().once();
    INTERVAL = number("usb.interval", "Interval", "Polling interval").once();
    START_FRAME = number("usb.start_frame", "Start frame", "Of an isochronous transfer").once();
    TRANSFER_FLAGS = number("usb.copy_of_transfer_flags", "Copy of Transfer Flags", "").hex(8).once();
    SHORT_NOT_OK = bool("usb.transfer_flags.short_not_ok", "Short not OK", "").mask(1).once();
    ISO_ASAP = bool("usb.transfer_flags.iso_asap", "ISO ASAP", "").mask(2).once();
    NO_DMA_MAP = bool("usb.transfer_flags.no_transfer_dma_map", "No transfer DMA map", "").mask(4).once();
    NO_FSBR = bool("usb.transfer_flags.no_fsbr", "No FSBR", "").mask(0x20).once();
    ZERO_PACKET = bool("usb.transfer_flags.zero_packet", "Zero Packet", "").mask(0x40).once();
    NO_INTERRUPT = bool("usb.transfer_flags.no_interrupt", "No Interrupt", "").mask(0x80).once();
    FREE_BUFFER = bool("usb.transfer_flags.free_buffer", "Free Buffer", "").mask(0x100).once();
    DIR_IN = bool("usb.transfer_flags.dir_in", "Dir IN", "").mask(0x200).once();
    DMA_MAP_SINGLE = bool("usb.transfer_flags.dma_map_single", "DMA Map Single", "").mask(0x1_0000).once();
    DMA_MAP_PAGE = bool("usb.transfer_flags.dma_map_page", "DMA Map Page", "").mask(0x2_0000).once();
    DMA_MAP_SG = bool("usb.transfer_flags.dma_map_sg", "DMA Map SG", "").mask(0x4_0000).once();
    MAP_LOCAL = bool("usb.transfer_flags.map_local", "Map Local", "").mask(0x8_0000).once();
    SETUP_MAP_SINGLE = bool("usb.transfer_flags.setup_map_single", "Setup Map Single", "").mask(0x10_0000).once();
    SETUP_MAP_LOCAL = bool("usb.transfer_flags.setup_map_local", "Setup Map Local", "").mask(0x20_0000).once();
    DMA_SG_COMBINED = bool("usb.transfer_flags.dma_sg_combined", "DMA S-G Combined", "").mask(0x40_0000).once();
    ALIGNED_TEMP_BUFFER = bool("usb.transfer_flags.aligned_temp_buffer", "Aligned Temp Buffer", "").mask(0x80_0000).once();

    HEADER_LENGTH = number("usb.usbpcap_header_len", "USBPcap pseudoheader length", "").once();
    IRP_ID = number("usb.irp_id", "IRP ID", "Pairs submission and completion").hex(16).once();
    USBD_STATUS = number("usb.usbd_status", "IRP USBD_STATUS", "").hex(8).names(USBD_STATUSES).once();
    FUNCTION = number("usb.function", "URB Function", "").hex(4).names(FUNCTIONS).once();
    IRP_INFO = number("usb.irp_info", "IRP information", "").hex(2).once();
    IRP_RESERVED = number("usb.irp_info.reserved", "Reserved", "").hex(2).mask(0xfe).once();
    IRP_DIRECTION = number("usb.irp_info.direction", "Direction", "").hex(2).mask(1).names(IRP_DIRECTIONS).once();
    CONTROL_STAGE = number("usb.control_stage", "Control transfer stage", "").names(STAGES).once();
    ISO_FRAME = number("usb.win32.iso_frame", "Isochronous transfer start frame", "").once();
    ISO_PACKETS = number("usb.win32.iso_num_packets", "Isochronous transfer number of packets", "").once();
    ISO_ERRORS = number("usb.win32.iso_error_count", "Isochronous transfer error count", "").once();
    ISO_PACKET = group("usb.win32.iso_packet", "Isochronous packet", "");
    ISO_PACKET_OFFSET = number("usb.win32.iso_offset", "ISO Data offset", "").hex(8).once_per(&ISO_PACKET);
    ISO_PACKET_LENGTH = number("usb.win32.iso_data_len", "ISO Data length", "").hex(8).once_per(&ISO_PACKET);
    ISO_PACKET_STATUS = number("usb.win32.iso_status", "ISO USBD status", "").hex(8).names(USBD_STATUSES).once_per(&ISO_PACKET);
    OTHER_HEADER = bytes("usb.header_rest", "Unknown header", "Header bytes of a later version").once();

    DARWIN_VERSION = number("usb.darwin.bcdVersion", "Darwin header bcdVersion", "").hex(4).once();
    DARWIN_HEADER_LENGTH = number("usb.darwin.header_len", "Darwin header length", "").once();
    DARWIN_REQUEST = number("usb.darwin.request_type", "Request type", "").names(DARWIN_REQUESTS).once();
    DARWIN_LENGTH = number("usb.darwin.io_len", "I/O length", "Bytes").once();
    DARWIN_STATUS = number("usb.darwin.io_status", "Request status", "IOReturn").hex(8).once();
    DARWIN_FRAMES = number("usb.darwin.io_frame_count", "Isochronous transfer number of frames", "").once();
    DARWIN_ID = number("usb.darwin.io_id", "I/O ID", "Pairs submission and completion").hex(16).once();
    DARWIN_LOCATION = number("usb.darwin.location_id", "Device location ID", "").hex(8).once();
    DARWIN_SPEED = number("usb.darwin_device_speed", "Device speed", "").names(DARWIN_SPEEDS).once();
    DARWIN_DEVICE = number("usb.darwin.device_address", "USB device index", "").once();
    DARWIN_ENDPOINT = number("usb.darwin.endpoint_address", "Endpoint address", "Endpoint address and direction").hex(2).once();
    DARWIN_TRANSFER = number("usb.darwin.endpoint_type", "Endpoint transfer type", "").names(DARWIN_TRANSFERS).once();

    REQUEST_IN = number("usb.request_in", "Request in", "Frame of the request").once();
    TIME = float("usb.time", "Time from request", "Seconds").seconds().once();

    ISO_ERROR_COUNT = number("usb.iso.error_count", "ISO error count", "").once();
    ISO_DESCRIPTORS = number("usb.iso.numdesc", "Number of ISO descriptors", "");
    ISO_DESCRIPTOR = group("usb.iso", "ISO descriptor", "");
    ISO_STATUS = number("usb.iso.iso_status", "Status", "ISO descriptor status").once_per(&ISO_DESCRIPTOR);
    ISO_OFFSET = number("usb.iso.iso_off", "Offset", "Bytes after the last ISO descriptor").once_per(&ISO_DESCRIPTOR);
    ISO_LENGTH = number("usb.iso.iso_len", "Length", "Bytes").once_per(&ISO_DESCRIPTOR);
    ISO_PAD = number("usb.iso.pad", "Padding", "").hex(8).once_per(&ISO_DESCRIPTOR);
    ISO_DATA = bytes("usb.iso.data", "ISO Data", "");

    SETUP = group("usb.setup", "Setup data", "Setup packet of a control transfer").once();
    REQUEST_TYPE = number("usb.bmRequestType", "bmRequestType", "").hex(2).once();
    REQUEST_DIRECTION = bool("usb.bmRequestType.direction", "Direction", "").mask(0x80).names(REQUEST_DIRECTIONS).once();
    REQUEST_KIND = number("usb.bmRequestType.type", "Type", "").hex(2).mask(0x60).names(REQUEST_KINDS).once();
    RECIPIENT = number("usb.bmRequestType.recipient", "Recipient", "").hex(2).mask(0x1f).names(RECIPIENTS).once();
    REQUEST = number("usb.setup.bRequest", "bRequest", "").names(REQUESTS).once();
    OTHER_REQUEST = number("usb.setup.bRequest.other", "bRequest", "Request of a class or vendor").also("usb.setup.bRequest").once();
    VALUE = number("usb.setup.wValue", "wValue", "").hex(4).once();
    INDEX = number("usb.setup.wIndex", "wIndex", "").once();
    LENGTH = number("usb.setup.wLength", "wLength", "Bytes of the data stage").once();
    FEATURE = number("usb.setup.wFeatureSelector", "wFeatureSelector", "").once();
    INTERFACE = number("usb.setup.wInterface", "wInterface", "").once();
    SETUP_ENDPOINT = number("usb.setup.wEndpoint", "wEndpoint", "").once();
    STATUS_WORD = number("usb.setup.wStatus", "wStatus", "").hex(4).once();
    DESCRIPTOR_INDEX = number("usb.DescriptorIndex", "Descriptor Index", "").hex(2).once();
    LANGUAGE = number("usb.LanguageId", "Language Id", "").hex(4).names(LANGUAGES).once();
    CONTROL_RESPONSE = bytes("usb.control.Response", "CONTROL response data", "").once();
    DATA_FRAGMENT = bytes("usb.data_fragment", "Data Fragment", "Data of a control transfer to the device").once();
    CAPTURED_DATA = bytes("usb.capdata", "Leftover Capture Data", "Payload of the transfer").once();

    DESCRIPTOR = group("usb.descriptor", "Descriptor", "").titled(title::kind);
    DESCRIPTOR_LENGTH = number("usb.bLength", "bLength", "Bytes of the descriptor").once_per(&DESCRIPTOR);
    DESCRIPTOR_TYPE = number("usb.bDescriptorType", "bDescriptorType", "").hex(2).names(DESCRIPTOR_TYPES);
    USB_VERSION = number("usb.bcdUSB", "bcdUSB", "Version of USB as decimal digits").hex(4);
    DEVICE_CLASS = number("usb.bDeviceClass", "bDeviceClass", "").hex(2).names(CLASSES);
    DEVICE_SUBCLASS = number("usb.bDeviceSubClass", "bDeviceSubClass", "");
    DEVICE_PROTOCOL = number("usb.bDeviceProtocol", "bDeviceProtocol", "");
    MAX_PACKET_SIZE_0 = number("usb.bMaxPacketSize0", "bMaxPacketSize0", "Maximum packet size of endpoint 0");
    VENDOR = number("usb.idVendor", "idVendor", "").hex(4);
    PRODUCT = number("usb.idProduct", "idProduct", "").hex(4);
    DEVICE_VERSION = number("usb.bcdDevice", "bcdDevice", "Version of the device as decimal digits").hex(4);
    MANUFACTURER_STRING = number("usb.iManufacturer", "iManufacturer", "Index of a string");
    PRODUCT_STRING = number("usb.iProduct", "iProduct", "Index of a string");
    SERIAL_STRING = number("usb.iSerialNumber", "iSerialNumber", "Index of a string");
    CONFIGURATIONS = number("usb.bNumConfigurations", "bNumConfigurations", "");
    RESERVED = number("usb.bReserved", "bReserved", "");
    LANGUAGE_ID = number("usb.wLANGID", "wLANGID", "").hex(4).names(LANGUAGES);
    STRING = text("usb.bString", "bString", "UTF-16").transformed();
    TOTAL_LENGTH = number("usb.wTotalLength", "wTotalLength", "Bytes with all descriptors that follow");
    INTERFACES = number("usb.bNumInterfaces", "bNumInterfaces", "");
    CONFIGURATION_VALUE = number("usb.bConfigurationValue", "bConfigurationValue", "");
    CONFIGURATION_STRING = number("usb.iConfiguration", "iConfiguration", "Index of a string");
    CONFIGURATION_ATTRIBUTES = number("usb.configuration.bmAttributes", "Configuration bmAttributes", "").hex(2);
    BUS_POWERED = bool("usb.configuration.legacy10buspowered", "Must be 1", "Legacy USB 1.0 bus powered").mask(0x80);
    SELF_POWERED = bool("usb.configuration.selfpowered", "Self-Powered", "").mask(0x40);
    REMOTE_WAKEUP = bool("usb.configuration.remotewakeup", "Remote Wakeup", "").mask(0x20);
    MAX_POWER = number("usb.bMaxPower", "bMaxPower", "In units of 2 mA");
    INTERFACE_NUMBER = number("usb.bInterfaceNumber", "bInterfaceNumber", "");
    ALTERNATE_SETTING = number("usb.bAlternateSetting", "bAlternateSetting", "");
    ENDPOINTS = number("usb.bNumEndpoints", "bNumEndpoints", "");
    INTERFACE_CLASS = number("usb.bInterfaceClass", "bInterfaceClass", "").hex(2).names(CLASSES);
    INTERFACE_SUBCLASS = number("usb.bInterfaceSubClass", "bInterfaceSubClass", "").hex(2);
    INTERFACE_PROTOCOL = number("usb.bInterfaceProtocol", "bInterfaceProtocol", "").hex(2);
    INTERFACE_STRING = number("usb.iInterface", "iInterface", "Index of a string");
    ENDPOINT_ADDRESS = number("usb.bEndpointAddress", "bEndpointAddress", "").hex(2);
    ENDPOINT_ADDRESS_DIRECTION = bool("usb.bEndpointAddress.direction", "Direction", "").mask(0x80).names(ENDPOINT_DIRECTIONS);
    ENDPOINT_ADDRESS_NUMBER = number("usb.bEndpointAddress.number", "Endpoint Number", "").hex(1).mask(0x0f);
    ENDPOINT_ATTRIBUTES = number("usb.bmAttributes", "bmAttributes", "").hex(2);
    ENDPOINT_TRANSFER = number("usb.bmAttributes.transfer", "Transfertype", "").hex(1).mask(0x03).names(ENDPOINT_TRANSFERS);
    ENDPOINT_SYNC = number("usb.bmAttributes.sync", "Synchronisationtype", "").hex(1).mask(0x0c).names(SYNCHRONISATIONS);
    ENDPOINT_BEHAVIOUR = number("usb.bmAttributes.behaviour", "Behaviourtype", "").hex(1).mask(0x30).names(BEHAVIOURS);
    MAX_PACKET_SIZE = number("usb.wMaxPacketSize", "wMaxPacketSize", "");
    PACKET_SIZE = number("usb.wMaxPacketSize.size", "Maximum Packet Size", "").mask(0x3ff);
    PACKET_SLOTS = number("usb.wMaxPacketSize.slots", "Transactions per microframe", "").mask(0x1800);
    ENDPOINT_INTERVAL = number("usb.bInterval", "bInterval", "");
    FIRST_INTERFACE = number("usb.bFirstInterface", "bFirstInterface", "");
    INTERFACE_COUNT = number("usb.bInterfaceCount", "bInterfaceCount", "");
    FUNCTION_CLASS = number("usb.bFunctionClass", "bFunctionClass", "").hex(2).names(CLASSES);
    FUNCTION_SUBCLASS = number("usb.bFunctionSubClass", "bFunctionSubClass", "").hex(2);
    FUNCTION_PROTOCOL = number("usb.bFunctionProtocol", "bFunctionProtocol", "").hex(2);
    FUNCTION_STRING = number("usb.iFunction", "iFunction", "Index of a string");
    DESCRIPTOR_REST = bytes("usb.descriptor.data", "Data", "Descriptor of a class, or bytes behind the known ones");
    DESCRIPTOR_RESPONSE = bytes("usb.getDescriptor.Response", "GET DESCRIPTOR Response data", "");
}

const URB_TYPES: Names = &[(67, "URB_COMPLETE"), (69, "URB_ERROR"), (83, "URB_SUBMIT")];
pub(super) const TRANSFER_TYPES: Names =
    &[(0, "URB_ISOCHRONOUS"), (1, "URB_INTERRUPT"), (2, "URB_CONTROL"), (3, "URB_BULK"), (254, "USBPcap IRP")];
const DIRECTIONS: Names = &[(0, "OUT"), (1, "IN")];
const RELEVANCE: Names = &[(0, "relevant"), (45, "not relevant")];
const PRESENCE: Names = &[(0, "present"), (45, "not present"), (60, "not present"), (62, "not present")];
const IRP_DIRECTIONS: Names = &[(0, "FDO -> PDO"), (1, "PDO -> FDO")];
const STAGES: Names = &[(0, "Setup"), (1, "Data"), (2, "Status"), (3, "Complete")];
const USBD_STATUSES: Names = &[
    (0x0000_0000, "USBD_STATUS_SUCCESS"),
    (0x4000_0000, "USBD_STATUS_PENDING"),
    (0x8000_0200, "USBD_STATUS_INVALID_URB_FUNCTION"),
    (0x8000_0300, "USBD_STATUS_INVALID_PARAMETER"),
    (0xc000_0001, "USBD_STATUS_CRC"),
    (0xc000_0004, "USBD_STATUS_STALL_PID"),
    (0xc000_0005, "USBD_STATUS_DEV_NOT_RESPONDING"),
    (0xc000_0008, "USBD_STATUS_DATA_OVERRUN"),
    (0xc000_0009, "USBD_STATUS_DATA_UNDERRUN"),
    (0xc000_0011, "USBD_STATUS_XACT_ERROR"),
    (0xc000_0012, "USBD_STATUS_BABBLE_DETECTED"),
    (0xc000_0030, "USBD_STATUS_ENDPOINT_HALTED"),
    (0xc000_6000, "USBD_STATUS_TIMEOUT"),
    (0xc000_7000, "USBD_STATUS_DEVICE_GONE"),
    (0xc001_0000, "USBD_STATUS_CANCELED"),
];
const FUNCTIONS: Names = &[
    (0x00, "URB_FUNCTION_SELECT_CONFIGURATION"),
    (0x01, "URB_FUNCTION_SELECT_INTERFACE"),
    (0x02, "URB_FUNCTION_ABORT_PIPE"),
    (0x08, "URB_FUNCTION_CONTROL_TRANSFER"),
    (0x09, "URB_FUNCTION_BULK_OR_INTERRUPT_TRANSFER"),
    (0x0a, "URB_FUNCTION_ISOCH_TRANSFER"),
    (0x0b, "URB_FUNCTION_GET_DESCRIPTOR_FROM_DEVICE"),
    (0x0c, "URB_FUNCTION_SET_DESCRIPTOR_TO_DEVICE"),
    (0x0d, "URB_FUNCTION_SET_FEATURE_TO_DEVICE"),
    (0x10, "URB_FUNCTION_CLEAR_FEATURE_TO_DEVICE"),
    (0x13, "URB_FUNCTION_GET_STATUS_FROM_DEVICE"),
    (0x17, "URB_FUNCTION_VENDOR_DEVICE"),
    (0x18, "URB_FUNCTION_VENDOR_INTERFACE"),
    (0x1a, "URB_FUNCTION_CLASS_DEVICE"),
    (0x1b, "URB_FUNCTION_CLASS_INTERFACE"),
    (0x1e, "URB_FUNCTION_SYNC_RESET_PIPE_AND_CLEAR_STALL"),
    (0x26, "URB_FUNCTION_GET_CONFIGURATION"),
    (0x27, "URB_FUNCTION_GET_INTERFACE"),
    (0x28, "URB_FUNCTION_GET_DESCRIPTOR_FROM_INTERFACE"),
    (0x32, "URB_FUNCTION_CONTROL_TRANSFER_EX"),
];
const DARWIN_REQUESTS: Names = &[(0, "SUBMIT"), (1, "COMPLETE")];
const DARWIN_SPEEDS: Names = &[(0, "low"), (1, "full"), (2, "high"), (3, "super"), (4, "super plus")];
const DARWIN_TRANSFERS: Names = &[(0, "Control"), (1, "Isochronous"), (2, "Bulk"), (3, "Interrupt")];
const REQUEST_DIRECTIONS: Names = &[(0, "Host-to-device"), (1, "Device-to-host")];
const REQUEST_KINDS: Names = &[(0, "Standard"), (1, "Class"), (2, "Vendor")];
const RECIPIENTS: Names = &[(0, "Device"), (1, "Interface"), (2, "Endpoint"), (3, "Other")];
pub(super) const REQUESTS: Names = &[
    (0, "GET STATUS"),
    (1, "CLEAR FEATURE"),
    (3, "SET FEATURE"),
    (5, "SET ADDRESS"),
    (6, "GET DESCRIPTOR"),
    (7, "SET DESCRIPTOR"),
    (8, "GET CONFIGURATION"),
    (9, "SET CONFIGURATION"),
    (10, "GET INTERFACE"),
    (11, "SET INTERFACE"),
    (12, "SYNCH FRAME"),
    (48, "SET SEL"),
    (49, "SET ISOCH DELAY"),
];
pub(super) const DESCRIPTOR_TYPES: Names = &[
    (1, "DEVICE"),
    (2, "CONFIGURATION"),
    (3, "STRING"),
    (4, "INTERFACE"),
    (5, "ENDPOINT"),
    (6, "DEVICE QUALIFIER"),
    (7, "OTHER_SPEED CONFIGURATION"),
    (8, "INTERFACE POWER"),
    (9, "OTG"),
    (10, "DEBUG"),
    (11, "INTERFACE ASSOCIATION"),
    (15, "BOS"),
    (16, "DEVICE CAPABILITY"),
    (33, "HID"),
    (34, "HID Report"),
    (36, "CS INTERFACE"),
    (37, "CS ENDPOINT"),
    (41, "HUB"),
    (48, "SUPERSPEED USB ENDPOINT COMPANION"),
];
const CLASSES: Names = &[
    (0x00, "Device"),
    (0x01, "Audio"),
    (0x02, "Communications and CDC Control"),
    (0x03, "HID"),
    (0x05, "Physical"),
    (0x06, "Image"),
    (0x07, "Printer"),
    (0x08, "Mass Storage"),
    (0x09, "Hub"),
    (0x0a, "CDC-Data"),
    (0x0b, "Smart Card"),
    (0x0d, "Content Security"),
    (0x0e, "Video"),
    (0x0f, "Personal Healthcare"),
    (0x10, "Audio/Video Devices"),
    (0xdc, "Diagnostic Device"),
    (0xe0, "Wireless Controller"),
    (0xef, "Miscellaneous"),
    (0xfe, "Application Specific"),
    (0xff, "Vendor Specific"),
];
const ENDPOINT_DIRECTIONS: Names = &[(0, "OUT Endpoint"), (1, "IN Endpoint")];
const ENDPOINT_TRANSFERS: Names =
    &[(0, "Control-Transfer"), (1, "Isochronous-Transfer"), (2, "Bulk-Transfer"), (3, "Interrupt-Transfer")];
const SYNCHRONISATIONS: Names = &[(0, "No Sync"), (1, "Asynchronous"), (2, "Adaptive"), (3, "Synchronous")];
const BEHAVIOURS: Names = &[(0, "Data-Endpoint"), (1, "Explicit Feedback-Endpoint"), (2, "Implicit Feedback-Data-Endpoint")];
const LANGUAGES: Names = &[
    (0x0000, "no language specified"),
    (0x0407, "German (Standard)"),
    (0x0409, "English (United States)"),
    (0x040c, "French (Standard)"),
    (0x0411, "Japanese"),
    (0x0809, "English (United Kingdom)"),
];
