-- Each type of field, with values from bytes and given ones.
local p = Proto("values", "Values")
local f = {
  n = ProtoField.uint8("values.n", "Number", base.DEC),
  hex = ProtoField.uint16("values.hex", "Hex", base.HEX, {[7] = "seven"}, nil, "described"),
  both = ProtoField.uint16("values.both", "Both", base.DEC_HEX),
  hexdec = ProtoField.uint24("values.hexdec", "HexDec", base.HEX_DEC),
  mask = ProtoField.uint16("values.mask", "Masked", base.HEX, {[1] = "one"}, 0x0300),
  int = ProtoField.int16("values.int", "Int"),
  flag = ProtoField.bool("values.flag", "Flag", 8, {"set", "clear"}, 0x02),
  bool = ProtoField.bool("values.bool", "Bool"),
  char = ProtoField.char("values.char", "Char", base.HEX),
  str = ProtoField.string("values.str", "String"),
  strz = ProtoField.stringz("values.strz", "StringZ"),
  plain = ProtoField.bytes("values.plain", "Plain bytes"),
  none = ProtoField.none("values.none", "None"),
  ip4 = ProtoField.ipv4("values.ip4", "IPv4"),
  mac = ProtoField.ether("values.mac", "MAC"),
  float = ProtoField.float("values.float", "Float"),
  utc = ProtoField.absolute_time("values.utc", "UTC", base.UTC),
  rel = ProtoField.relative_time("values.rel", "Relative"),
  u64 = ProtoField.uint64("values.u64", "U64", base.HEX),
  i64 = ProtoField.int64("values.i64", "I64"),
  guid = ProtoField.guid("values.guid", "GUID"),
  frame = ProtoField.framenum("values.frame", "Frame", base.NONE, frametype.RESPONSE),
  dup1 = ProtoField.uint8("values.dup", "Dup one"),
  dup2 = ProtoField.uint16("values.dup", "Dup two"),
  new = ProtoField.new("New style", "values.new", ftypes.UINT8, {[3] = "three"}, base.HEX),
}
p.fields = f
function p.dissector(tvb, pinfo, tree)
  local t = tree:add(p, tvb())
  t:add(f.n, tvb(0, 1)) t:add(f.n, tvb(0, 1), 200) t:add(f.n, tvb(0, 1), 201, "own label", "two")
  t:add(f.hex, tvb(1, 2)) t:add_le(f.hex, tvb(1, 2)) t:add(f.both, tvb(1, 2)) t:add(f.hexdec, tvb(1, 3))
  t:add(f.mask, tvb(4, 2), 0) t:add_le(f.mask, tvb(2, 2))
  t:add(f.int, tvb(6, 2)) t:add_le(f.int, tvb(6, 2))
  t:add(f.flag, tvb(4, 1)) t:add(f.flag, tvb(3, 1)) t:add(f.bool, tvb(0, 1)) t:add(f.bool, true)
  t:add(f.char, tvb(9, 1)) t:add(f.str, tvb(9, 4)) t:add(f.str, tvb(9, 9)) t:add(f.str, "value only") t:add(f.str, tvb(9, 4), "v", "label")
  t:add(f.strz, tvb(9)) t:add(f.plain, tvb(3, 4)) t:add(f.none, tvb(3, 4))
  t:add(f.ip4, tvb(19, 4)) t:add_le(f.ip4, tvb(19, 4)) t:add(f.mac, tvb(23, 6)) t:add(f.float, tvb(29, 4))
  t:add_le(f.utc, tvb(41, 4)) t:add(f.utc, NSTime.new(1700000000, 500000000)) t:add(f.rel, NSTime.new(3, 250000000))
  t:add_le(f.u64, tvb(45, 8)) t:add(f.u64, tvb(45, 8)) t:add_le(f.i64, tvb(45, 8))
  t:add(f.guid, tvb(1, 16)) t:add_le(f.guid, tvb(1, 16)) t:add(f.frame, 1)
  t:add(f.dup1, tvb(2, 1)) t:add(f.dup2, tvb(2, 2)) t:add(f.new, tvb(5, 1))
end
DissectorTable.get("udp.port"):add(9998, p)
