//! Conversations, ciphers, and modules as in Lua 5.1.

use super::{cells, cut, datagrams, script};
use crate::common::{Folder, Scratch};

#[test]
fn values_are_kept_for_a_conversation_in_both_directions() {
    let text = "local p, q = Proto('kept', 'Kept'), Proto('other', 'Other')
        local f = ProtoField.string('kept.text', 'Text')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          local conv = Conversation.find_from_pinfo(pinfo)
          conv[p] = (conv[p] or 0) + 1
          local same = Conversation.find(pinfo.number, convtypes.UDP, pinfo.dst, pinfo.src, pinfo.dst_port, pinfo.src_port, false)
          local none = Conversation.find(pinfo.number, convtypes.UDP, pinfo.dst, pinfo.src, 1, 2, false)
          local numbered = Conversation.find_by_id(pinfo.number, convtypes.USB, 7)
          numbered[q] = {conv[p]}
          local all = {conv[p], conv[q], conv == same, same[p], none, numbered[q][1], numbered[p], pinfo.conversation == conv}
          for at = 1, 8 do all[at] = tostring(all[at]) end
          tree:add(f, table.concat(all, ' '))
          local _, e = pcall(function() conv.dissector = 7 end)
          tree:add(f, (e:gsub('^.-:%d+: ', '')))
          _, e = pcall(function() conv.dissector = q end)
          tree:add(f, (e:gsub('^.-:%d+: ', '')))
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let kept = Scratch::new("kept.lua", text.as_bytes());
    let rows = cells(kept.path(), &datagrams(9998, &[b"a", b"b"]), &[], &["kept.text", "_ws.lua.error"]);
    let errors = "Assigned data type must be either a Proto or Dissector;Proto OTHER has no registered dissector";
    let row = |number: u32| format!("{number}\t{number} nil true {number} nil {number} nil true;{errors}\t");
    assert_eq!(rows, [row(1), row(2)]);
}

#[test]
fn a_conversation_goes_to_the_dissector_that_a_script_sets() {
    let text = "local p, q = Proto('first', 'First'), Proto('second', 'Second')
        local f, g = ProtoField.uint32('first.frame', 'Frame'), ProtoField.uint32('second.frame', 'Frame')
        p.fields, q.fields = {f}, {g}
        function p.dissector(tvb, pinfo, tree)
          tree:add(f, pinfo.number)
          Conversation.find_from_pinfo(pinfo).dissector = q
        end
        function q.dissector(tvb, pinfo, tree) tree:add(g, pinfo.number) end
        DissectorTable.get('tcp.port'):add(9999, p)";
    let bound = Scratch::new("bound.lua", text.as_bytes());
    let rows = cells(bound.path(), &cut(&[(0, 5), (5, 9), (9, 20)]), &[], &["first.frame", "second.frame"]);
    assert_eq!(rows, ["4\t4\t", "5\t\t5", "6\t\t6"]);
}

/// Vectors: FIPS 197 C.1, SP 800-38A F.2.1, F.3.7, F.3.13, F.4.1, F.5.1, and those of the authors of DES, Blowfish, Twofish and RC4.
#[test]
fn ciphers_give_the_published_vectors() {
    let rows = cells(&script("cipher"), &datagrams(9998, &[b"a"]), &[], &["cipher.cases", "cipher.wrong", "_ws.lua.error"]);
    let wanted = "1\t13\tInvalid cipher algorithm;Invalid cipher mode;GCRY_CIPHER_MODE_GCM is not supported;Missing key;\
        Invalid key length;Invalid length;BLOWFISH92416\t";
    assert_eq!(rows, [wanted]);
}

#[test]
fn modules_of_lua_5_1_have_their_own_environment() {
    let folder = Folder::new("lua-module");
    std::fs::create_dir(folder.file("own")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.file(name), text).unwrap();
    write(
        "own/part.lua",
        "module('own.part', package.seeall)
        local function inner() return value end
        value = 7
        function get() return inner() + #tostring(value) end",
    );
    write("own/apart.lua", "local all = {}\nsetfenv(1, setmetatable(all, {__index = _G}))\nshown = 5\nreturn all");
    write(
        "own/main.lua",
        "require 'own.part'
        local apart = require('plugin.apart')
        local p = Proto('module', 'Module')
        local f = ProtoField.string('module.text', 'Text')
        p.fields = {f}
        local function hides() return hidden end
        setfenv(hides, {hidden = 'yes'})
        local part = own.part
        local all = {part.get(), part._NAME, part._PACKAGE, value, apart.shown, shown, hides(), getfenv(hides).hidden}
        for at = 1, 8 do all[at] = tostring(all[at]) end
        function p.dissector(tvb, pinfo, tree) tree:add(f, table.concat(all, ' ')) end
        DissectorTable.get('udp.port'):add(9998, p)",
    );
    let main = folder.file("own/main.lua");
    let rows = cells(main.to_str().unwrap(), &datagrams(9998, &[b"a"]), &[], &["module.text", "_ws.lua.error"]);
    assert_eq!(rows, ["1\t8 own.part own. nil 5 nil yes yes\t"]);
}
