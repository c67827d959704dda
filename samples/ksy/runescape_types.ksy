meta:
  id: runescape_types
  title: RuneScape bespoke wire types as plain ksy user types
  license: CC0-1.0
  endian: be
  encoding: ISO-8859-1
  bit-endian: be
  -proto-dissect:
    transport: tcp
    framing: stream
doc: |
  A library of types for other files to import; the top-level seq reads one of each, so that
  the file can be tried on its own. Every type keeps its raw bytes and adds `value`.
seq:
  - id: byte_a
    type: byte_a
  - id: byte_c
    type: byte_c
  - id: byte_s
    type: byte_s
  - id: short_a
    type: short_a
  - id: short_a_le
    type: short_a_le
  - id: tribyte
    type: tribyte
  - id: int_middle_big
    type: int_middle_big
  - id: int_middle_small
    type: int_middle_small
  - id: smart_one
    type: smart
  - id: smart_two
    type: smart
  - id: jstr_old
    type: str
    terminator: 0x0a
  - id: jstr_new
    type: strz
  - id: bit_block
    type: bit_block
types:
  byte_a:
    seq:
      - id: raw
        type: u1
    instances:
      value:
        value: (raw - 128) & 0xff
  byte_c:
    seq:
      - id: raw
        type: u1
    instances:
      value:
        value: (0 - raw) & 0xff
  byte_s:
    seq:
      - id: raw
        type: u1
    instances:
      value:
        value: (128 - raw) & 0xff
  short_a:
    seq:
      - id: hi
        type: u1
      - id: lo
        type: byte_a
    instances:
      value:
        value: (hi << 8) | lo.value
  short_a_le:
    seq:
      - id: lo
        type: byte_a
      - id: hi
        type: u1
    instances:
      value:
        value: (hi << 8) | lo.value
  tribyte:
    seq:
      - id: value
        type: b24
  int_middle_big:
    doc: Bytes come as 3rd, 4th, 1st, 2nd, counted from the least significant.
    seq:
      - id: b
        type: u1
        repeat: expr
        repeat-expr: 4
    instances:
      value:
        value: (b[1] << 24) | (b[0] << 16) | (b[3] << 8) | b[2]
  int_middle_small:
    doc: Bytes come as 2nd, 1st, 4th, 3rd, counted from the least significant.
    seq:
      - id: b
        type: u1
        repeat: expr
        repeat-expr: 4
    instances:
      value:
        value: (b[2] << 24) | (b[3] << 16) | (b[0] << 8) | b[1]
  smart:
    doc: |
      One byte below 128, else two bytes less 32768. ()
    seq:
      - id: first
        type: u1
      - id: second
        type: u1
        if: first >= 128
    instances:
      value:
        value: 'first < 128 ? first : ((first - 128) << 8) + second'
  bit_block:
    doc: Bit access needs no mode switch; bN fields start wherever the byte reader stands.
    seq:
      - id: has_update
        type: b1
      - id: movement
        type: b2
      - id: num_players
        type: b8
