-- Preferences of every kind, and a table kept in step with a range of ports.
local p = Proto("prefs", "Preferences")
local f = ProtoField.string("prefs.value", "Value")
p.fields = f
p.prefs.flag = Pref.bool("Flag", true, "a flag")
p.prefs.number = Pref.uint("Number", 5, "a number")
p.prefs.text = Pref.string("Text", "default", "a text")
p.prefs.mode = Pref.enum("Mode", 1, "a choice", {{1, "One", 1}, {2, "Two", 2}}, false)
p.prefs.ports = Pref.range("Ports", "9996", "the ports", 65535)
p.prefs.words = Pref.statictext("only text", "nothing to set")
local changed, now, inits = 0, p.prefs.ports, 0
local t = DissectorTable.get("udp.port")
function p.prefs_changed()
  changed = changed + 1
  if p.prefs.ports ~= now then t:remove(now, p) now = p.prefs.ports t:add(now, p) end
end
function p.init() inits = inits + 1 end
function p.dissector(tvb, pinfo, tree)
  local s = tree:add(p, tvb())
  s:add(f, string.format("%s %d %s %d %s", tostring(p.prefs.flag), p.prefs.number, p.prefs.text, p.prefs.mode, p.prefs.ports))
  s:add(f, (changed > 0 and "changed" or "as registered") .. " " .. (inits > 0 and "inited" or "not inited"))
end
t:add(now, p)
