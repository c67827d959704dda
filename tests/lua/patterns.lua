-- Patterns, with the results that Lua's manual and the C library give.
local p = Proto("patterns", "Patterns")
local f = ProtoField.string("patterns.wrong", "Wrong")
p.fields = f
local function all(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = tostring(t[i]) end
  return table.concat(t, ",")
end
local function each(s, pattern)
  local t = {}
  for a, b in s:gmatch(pattern) do t[#t + 1] = a .. (b and "=" .. b or "") end
  return table.concat(t, ",")
end
local cases = {
  {all(("hello world"):find("o w")), "5,7"},
  {all(("hello"):find("l+")), "3,4"},
  {all(("hello"):find("(l)(l)")), "3,4,l,l"},
  {all(("hello"):find("xyz")), "nil"},
  {all(("a.b"):find(".", 1, true)), "2,2"},
  {all(("a.b"):find("%.")), "2,2"},
  {all(("hello"):find("", 10)), "nil"},
  {all(("hello"):find("", 6)), "6,5"},
  {all(("hello"):find("l", -2)), "4,4"},
  {all(("key = value"):match("^(%w+)%s*=%s*(%w+)$")), "key,value"},
  {all(("  trim  "):match("^%s*(.-)%s*$")), "trim"},
  {all(("2024-05-06"):match("(%d+)-(%d+)-(%d+)")), "2024,05,06"},
  {all(("THE (quick) fox"):find("%((%a+)%)")), "5,11,quick"},
  {all(("f(a(b)c)d"):match("%b()")), "(a(b)c)"},
  {all(("THE (quick) fox"):gsub("%f[%a]%a+", "w")), "w (w) w,3"},
  {all(("hello"):match("()ll()")), "3,5"},
  {all(("hello world"):gsub("o", "0")), "hell0 w0rld,2"},
  {all(("hello world"):gsub("o", "0", 1)), "hell0 world,1"},
  {all(("hello"):gsub("", "-")), "-h-e-l-l-o-,6"},
  {all(("abc"):gsub("%w", "%0%0")), "aabbcc,3"},
  {all(("hello world"):gsub("(%w+) (%w+)", "%2 %1")), "world hello,1"},
  {all(("$name is $age"):gsub("%$(%w+)", {name = "Ada", age = 36})), "Ada is 36,2"},
  {all(("abc"):gsub("%w", function(c) if c ~= "b" then return c:upper() end end)), "AbC,3"},
  {all(("x^y"):gsub("^x", "z")), "z^y,1"},
  {all(("abcabc"):match("(abc)%1")), "abc"},
  {all(("[[x]]"):find("[]]")), "4,4"},
  {all(("a-b"):match("[a%-]+")), "a-"},
  {all(("\0a\0"):find("%z")), "1,1"},
  {all(("0x1F"):match("^0[xX](%x+)$")), "1F"},
  {all(("aaa"):find("a-", 2)), "2,1"},
  {all(("aaab"):find("a-b")), "1,4"},
  {all(("ab"):find("a?b")), "1,2"},
  {each("one two  three", "%a+"), "one,two,three"},
  {each("a=1, b=2", "(%w+)=(%w+)"), "a=1,b=2"},
  {each("abc", ""), ",,,"},
  {all(pcall(string.find, "a", "[a")), "false,malformed pattern (missing ']')"},
  {all(pcall(string.find, "a", "%")), "false,malformed pattern (ends with '%')"},
  {all(pcall(string.find, "a", "(a")), "false,unfinished capture"},
  {all(pcall(string.gsub, "a", "a", "%2")), "false,invalid capture index %2"},
  {all(pcall(string.rep)), "false,bad argument #1 to 'rep' (string expected, got no value)"},
  {string.format("%5.2f|%-5s|%05d|%x|%q|%s", 3.14159, "ab", 42, 255, "a\nb", nil), " 3.14|ab   |00042|ff|\"a\\\nb\"|nil"},
  {string.format("%d %d", 3.0, 3.7), "3 3"},
}
function p.dissector(tvb, pinfo, tree)
  local wrong = {}
  for i, case in ipairs(cases) do
    if case[1] ~= case[2] then wrong[#wrong + 1] = i .. ": " .. case[1] .. " for " .. case[2] end
  end
  tree:add(p, tvb()):add(f, #wrong == 0 and "none" or table.concat(wrong, " / "))
end
DissectorTable.get("udp.port"):add(9998, p)
