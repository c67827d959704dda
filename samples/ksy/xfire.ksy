meta:
  id: xfire
  title: Xfire instant-messenger protocol (TCP stream, either direction)
  license: CC0-1.0
  endian: le
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [25999]
    framing: stream
    message: packet
    roots:
      client: client_stream
      server: xfire
    name: packet_type
    info: '{num_attributes} attributes'
doc: |
  The top-level type is a run of packets. `client_stream` is the same run behind the
  four-byte opening statement that a client sends once per connection.
seq:
  - id: packets
    type: packet
    repeat: eos
types:
  client_stream:
    seq:
      - id: opening
        contents: UA01
      - id: packets
        type: packet
        repeat: eos
  packet:
    seq:
      - id: len_packet
        type: u2
        doc: Total packet length, this field included.
        valid:
          min: 5
      - id: packet_type
        type: u2
        enum: packet_type
        doc: |
          An early document shows a zero byte and a one-byte id here, in that order; two
          implementations and a later specification read one little-endian integer.
      - id: num_attributes
        type: u1
      - id: body
        size: len_packet - 5
        type: attributes(num_attributes)
  attributes:
    doc: |
      Most packet types name their attributes with length-prefixed text, some with one raw
      byte, and which is which has changed between client versions. The second byte tells: it
      is a letter of the name in the first case and a value type in the second.
    params:
      - id: num_attributes
        type: u1
    seq:
      - id: attributes
        type:
          switch-on: has_byte_keys
          cases:
            true: byte_keyed_attribute
            false: named_attribute
        repeat: expr
        repeat-expr: num_attributes
      - id: trailing
        size-eos: true
    instances:
      second_byte:
        pos: 1
        type: u1
        if: _io.size > 1
      has_byte_keys:
        value: '_io.size > 1 ? second_byte < 0x20 : false'
  named_attribute:
    seq:
      - id: len_name
        type: u1
      - id: name
        type: str
        size: len_name
      - id: value
        type: typed_value
    to-string: name
  byte_keyed_attribute:
    seq:
      - id: key
        type: u1
      - id: value
        type: typed_value
  typed_value:
    seq:
      - id: value_type
        type: u1
        enum: value_type
      - id: value
        type: value_of(value_type)
  value_of:
    params:
      - id: value_type
        type: u1
        enum: value_type
    seq:
      - id: data
        type:
          switch-on: value_type
          cases:
            'value_type::string': lv_string
            'value_type::int32': s4
            'value_type::sid': sid
            'value_type::array': array
            'value_type::string_map': string_map
            'value_type::did': did
            'value_type::int64': u8
            'value_type::int8': u1
            'value_type::byte_map': byte_map
            # Unknown tag: no length on the wire, so the attribute list stops here.
            _: opaque_rest
  lv_string:
    seq:
      - id: len_value
        type: u2
      - id: value
        type: str
        size: len_value
    to-string: value
  sid:
    seq:
      - id: bytes
        size: 16
  did:
    seq:
      - id: bytes
        size: 21
  array:
    seq:
      - id: item_type
        type: u1
        enum: value_type
      - id: num_items
        type: u2
      - id: items
        type: value_of(item_type)
        repeat: expr
        repeat-expr: num_items
  string_map:
    seq:
      - id: num_entries
        type: u1
      - id: entries
        type: named_attribute
        repeat: expr
        repeat-expr: num_entries
  byte_map:
    seq:
      - id: num_entries
        type: u1
      - id: entries
        type: byte_keyed_attribute
        repeat: expr
        repeat-expr: num_entries
  opaque_rest:
    seq:
      - id: bytes
        size-eos: true
enums:
  packet_type:
    0: chat_content
    1: login_request
    2: chat_message
    3: client_version
    4: game_information
    5: friends_of_friend_request
    6: friend_invite
    7: friend_accept
    8: friend_decline
    9: friend_remove
    10: preferences_update
    12: user_lookup
    13: keep_alive
    14: nickname_change
    16: client_configuration
    17: connection_information
    18: client_information
    22: server_list_request
    26: group_create
    27: group_remove
    28: group_rename
    32: status_change
    36: logout
    128: login_challenge
    129: login_failure
    130: login_success
    131: friend_list
    132: session_ids
    133: routed_chat_message
    134: new_version
    135: friend_game_information
    136: friends_of_friends
    137: friend_invite_confirmation
    138: friend_invitation
    139: friend_removed
    141: client_preferences
    143: user_lookup_result
    144: keep_alive_response
    145: signed_on_elsewhere
    147: friend_voip_information
    148: favourite_servers
    149: friends_favourite_servers
    150: server_list
    151: groups
    152: group_members
    153: group_created
    154: friend_status
    155: persistent_chats
    156: friend_game_details
    169: system_broadcast
    400: did
  value_type:
    1: string
    2: int32
    3: sid
    4: array
    5: string_map
    6: did
    7: int64
    8: int8
    9: byte_map
