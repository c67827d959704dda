//! Which names are near, and that distances are computed only where they matter.

use super::*;
use crate::registry::Registry;
use proptest::prelude::*;

#[test]
fn names_with_parts_left_out_or_cut_are_near() {
    let known = ["dns", "dns.a", "dns.mr", "dns.query", "dns.qry.name", "dns.resp.name", "dns.time", "ip.addr", "tcp.port"];
    let first = |word: &str| nearest(word, known).first().copied().unwrap_or_default();
    for (word, meant) in [
        ("dsn.qry", "dns.qry.name"),
        ("dns.nam", "dns.qry.name"),
        ("dns.qyr.name", "dns.qry.name"),
        ("ip.adr", "ip.addr"),
        ("TCP.prot", "tcp.port"),
        ("zzzzzzzz", ""),
        ("", ""),
    ] {
        assert_eq!(first(word), meant, "{word}");
    }
}

#[test]
fn a_third_of_the_letters_may_be_wrong() {
    for (word, known, is_near) in [
        ("htp", "http", true),
        ("htp", "ftp", true),
        ("htp", "smtp", false),
        ("x", "y", false),
        ("xy", "y", true),
        ("pasword", "password", true),
        ("secret", "sacred", true),
        ("secret", "sacral", false),
        ("bt-utp", "bt_utp", true),
        ("io", "io,phs", true),
        ("udp.checksum", "udp.check_checksum", true),
        ("sequence", "seq", true),
        ("sec", "s", false),
    ] {
        assert_eq!(!nearest(word, [known]).is_empty(), is_near, "{word} {known}");
    }
    assert_eq!(nearest("htp", ["gtp", "stp", "http", "http", "", "quake", "ftp"]), ["http", "gtp", "stp"]);
    assert_eq!(similar("htp", ["ftp", "http"]), "; similar names: http, ftp");
    assert_eq!(similar("htp", ["quake"]), "");
}

#[test]
fn few_distances_are_computed_and_the_answer_is_that_of_all() {
    let registry = Registry::default();
    let names: Vec<&str> = registry.fields().flat_map(|field| [field.abbrev, field.also]).collect();
    for word in ["tcp.prot", "htpp.request.metod", "dns.nam", "ip", "pipboy.entry.flaot", "Eth.Scr", "é.ü", "x.y.z.w", "tcp."] {
        let lower = folded(word);
        let most = tolerance(&lower) * EDIT;
        let mut all: Vec<(usize, bool, &str)> = names
            .iter()
            .filter(|name| !name.is_empty())
            .map(|name| {
                let off = distance(&lower, &folded(name));
                assert!(least_distance(&lower, &folded(name)) <= off, "{word} {name}");
                (off, !name.chars().next().is_some_and(|first| lower.starts_with(first)), *name)
            })
            .filter(|(off, ..)| *off <= most)
            .collect();
        all.sort_by_key(|(off, differs, _)| (*off, *differs));
        let mut seen = HashSet::new();
        let expected: Vec<&str> = all.iter().map(|(.., name)| *name).filter(|name| seen.insert(*name)).take(3).collect();
        assert_eq!(nearest(word, names.iter().copied()), expected, "{word}");
    }
}

proptest! {
    #[test]
    fn a_bound_is_never_above_the_distance(word in "[a-eé.]{0,8}", known in "[a-eé.]{0,8}") {
        prop_assert!(least_edits(&word, &known) <= strsim::damerau_levenshtein(&word, &known));
    }

    #[test]
    fn the_best_are_those_of_all(costs in prop::collection::vec(0_usize..20, 0..30)) {
        let mut best = Best::new(12);
        let kept: Vec<usize> = costs.iter().copied().filter(|cost| {
            let is_kept = best.may_include(*cost);
            if is_kept {
                best.add(*cost);
            }
            is_kept
        }).collect();
        let first = |costs: &[usize]| {
            let mut costs: Vec<usize> = costs.iter().copied().filter(|cost| *cost <= 12).collect();
            costs.sort_unstable();
            costs.truncate(SUGGESTIONS);
            costs
        };
        prop_assert_eq!(first(&kept), first(&costs));
    }
}
