meta:
  id: mqtt_packets
  title: MQTT 3.1.1, messages between devices and a broker
  license: CC0-1.0
  endian: be
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [1883]
    name: kind
    info: '{kind == kind::publish ? f"{body.as<publish>.topic}" : f"{len_body} bytes"}'
    secret: [body.password]
doc-ref: https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html
seq:
  - {id: packets, type: packet, repeat: eos}
types:
  packet:
    seq:
      - {id: kind, type: b4, enum: kind, valid: {in-enum: true}}
      - {id: is_duplicate, type: b1}
      - {id: quality, type: b2}
      - {id: retain, type: b1}
      - id: groups_of_length
        type: u1
        repeat: until
        repeat-until: _ < 128
        valid: {expr: _index < 4}
        doc: Seven bits a byte, the lowest first.
      - id: body
        size: len_body
        type:
          switch-on: kind
          cases:
            'kind::connect': connect
            'kind::connack': connack
            'kind::publish': publish(quality)
            'kind::puback': identified
            'kind::pubrec': identified
            'kind::pubrel': identified
            'kind::pubcomp': identified
            'kind::subscribe': subscribe
            'kind::suback': suback
            'kind::unsubscribe': unsubscribe
            'kind::unsuback': identified
    instances:
      len_body:
        value: >-
          (groups_of_length[0] & 127)
          + (groups_of_length.size > 1 ? (groups_of_length[1] & 127) << 7 : 0)
          + (groups_of_length.size > 2 ? (groups_of_length[2] & 127) << 14 : 0)
          + (groups_of_length.size > 3 ? (groups_of_length[3] & 127) << 21 : 0)
  string:
    seq:
      - {id: len_text, type: u2}
      - {id: text, type: str, size: len_text}
    to-string: text
  binary:
    seq:
      - {id: len_data, type: u2}
      - {id: data, size: len_data}
  connect:
    seq:
      - {id: protocol, type: string}
      - {id: level, type: u1}
      - {id: has_user, type: b1}
      - {id: has_password, type: b1}
      - {id: will_retain, type: b1}
      - {id: will_quality, type: b2}
      - {id: has_will, type: b1}
      - {id: clean_session, type: b1}
      - {id: reserved, type: b1}
      - {id: keep_alive, type: u2}
      - {id: client, type: string}
      - {id: will_topic, type: string, if: has_will}
      - {id: will_message, type: binary, if: has_will}
      - {id: user, type: string, if: has_user}
      - {id: password, type: binary, if: has_password}
  connack:
    seq:
      - {id: reserved, type: b7}
      - {id: session_present, type: b1}
      - {id: code, type: u1, enum: code}
  publish:
    params:
      - {id: quality, type: u1}
    seq:
      - {id: topic, type: string}
      - {id: packet_id, type: u2, if: quality > 0}
      - {id: payload, size-eos: true}
  identified:
    seq:
      - {id: packet_id, type: u2}
  subscribe:
    seq:
      - {id: packet_id, type: u2}
      - {id: filters, type: filter, repeat: eos}
  filter:
    seq:
      - {id: topic, type: string}
      - {id: quality, type: u1}
  suback:
    seq:
      - {id: packet_id, type: u2}
      - {id: codes, type: u1, enum: granted, repeat: eos}
  unsubscribe:
    seq:
      - {id: packet_id, type: u2}
      - {id: topics, type: string, repeat: eos}
enums:
  kind:
    1: connect
    2: connack
    3: publish
    4: puback
    5: pubrec
    6: pubrel
    7: pubcomp
    8: subscribe
    9: suback
    10: unsubscribe
    11: unsuback
    12: pingreq
    13: pingresp
    14: disconnect
  code:
    0: accepted
    1: unacceptable_version
    2: identifier_rejected
    3: server_unavailable
    4: bad_user_name_or_password
    5: not_authorized
  granted:
    0: at_most_once
    1: at_least_once
    2: exactly_once
    128: failure
