//! Parsing of expressions: precedence and literals.

use super::origin::Origin;
use super::parser::{expression, process_call, type_call};
use super::syntax::{FormatPart, Syntax, SyntaxKind};
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use crate::ksy::yaml::{Node, Value};

fn parsed(text: &str) -> Result<Syntax, Problem> {
    let place = SourceRange { file: 0, start: 0, end: u32::try_from(text.len()).unwrap() };
    let node = Node { value: Value::Scalar { text: text.to_owned(), quoted: false }, place };
    expression(text, &Origin::new(&node, text))
}

/// The expression with parentheses around each operator.
fn shown(text: &str) -> String {
    match parsed(text) {
        Ok(syntax) => show(&syntax),
        Err(problem) => format!("{} at {}", problem.message, problem.place.start),
    }
}

fn show(syntax: &Syntax) -> String {
    let list = |all: &[Syntax]| all.iter().map(show).collect::<Vec<_>>().join(", ");
    match &syntax.kind {
        SyntaxKind::Int(value) => value.to_string(),
        SyntaxKind::Float(value) => format!("{value:?}"),
        SyntaxKind::Bool(value) => value.to_string(),
        SyntaxKind::Str(text) => format!("{text:?}"),
        SyntaxKind::Name(name) => name.clone(),
        SyntaxKind::Call(name, _, args) => format!("{name}({})", list(args)),
        SyntaxKind::List(all) => format!("[{}]", list(all)),
        SyntaxKind::Member(of, member, _) => format!("{}::{member}", of.text()),
        SyntaxKind::Unary(operator, one) => format!("({operator:?} {})", show(one)),
        SyntaxKind::Binary(operator, one, other) => format!("({} {operator:?} {})", show(one), show(other)),
        SyntaxKind::Compare(operator, one, other) => format!("({} {operator:?} {})", show(one), show(other)),
        SyntaxKind::And(one, other) => format!("({} and {})", show(one), show(other)),
        SyntaxKind::Or(one, other) => format!("({} or {})", show(one), show(other)),
        SyntaxKind::If(condition, yes, no) => format!("({} ? {} : {})", show(condition), show(yes), show(no)),
        SyntaxKind::Attribute(object, name, _, None) => format!("{}.{name}", show(object)),
        SyntaxKind::Attribute(object, name, _, Some(args)) => format!("{}.{name}({})", show(object), list(args)),
        SyntaxKind::At(one, index) => format!("{}[{}]", show(one), show(index)),
        SyntaxKind::Cast(one, to) => format!("{}.as<{}>", show(one), to.text()),
        SyntaxKind::SizeOf(of, in_bits) => format!("{}<{}>", if *in_bits { "bitsizeof" } else { "sizeof" }, of.text()),
        SyntaxKind::Format(parts) => {
            let part = |part: &FormatPart| match part {
                FormatPart::Text(text) => text.clone(),
                FormatPart::Value(value, _) => format!("{{{}}}", show(value)),
            };
            format!("f\"{}\"", parts.iter().map(part).collect::<String>())
        }
    }
}

#[test]
fn operators_bind_as_in_python() {
    for (text, wanted) in [
        ("1 + 2 * 3 - 4", "((1 Add (2 Multiply 3)) Subtract 4)"),
        ("1 << 2 + 3", "(1 ShiftLeft (2 Add 3))"),
        ("a & 1 == 0", "((a BitAnd 1) Eq 0)"),
        ("1 | 2 ^ 3 & 4 << 5", "(1 BitOr (2 BitXor (3 BitAnd (4 ShiftLeft 5))))"),
        ("not a == b and c or d", "(((Not (a Eq b)) and c) or d)"),
        ("a or b and not not c", "(a or (b and (Not (Not c))))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a > 1 ? 2 : 3", "((a Gt 1) ? 2 : 3)"),
        ("-a.b[1] * ~2", "((Minus a.b[1]) Multiply (Invert 2))"),
        ("- -1 + +2", "((Minus (Minus 1)) Add 2)"),
        ("10 / 3 % 2", "((10 Divide 3) Modulo 2)"),
        ("(1 + 2) * 3", "((1 Add 2) Multiply 3)"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn values_have_members_methods_elements_and_casts() {
    for (text, wanted) in [
        ("a.b.c(1, 2)[3].d", "a.b.c(1, 2)[3].d"),
        ("x.as<foo::bar[]>[0]", "x.as<foo::bar[]>[0]"),
        ("a<b and c>d", "((a Lt b) and (c Gt d))"),
        ("t::e::m.to_i", "t::e::m.to_i"),
        ("::e::m", "::e::m"),
        ("sizeof<u4> + bitsizeof<a::b>", "(sizeof<u4> Add bitsizeof<a::b>)"),
        ("[1, a, [2]]", "[1, a, [2]]"),
        ("[1, 2,]", "[1, 2]"),
        ("[]", "[]"),
        ("_.x + _index", "(_.x Add _index)"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn numbers_are_read_in_every_notation() {
    for (text, wanted) in [
        ("0x1F", "31"),
        ("0b1_01", "5"),
        ("0o17", "15"),
        ("1_000_000", "1000000"),
        ("18446744073709551615", "18446744073709551615"),
        ("1.5", "1.5"),
        ("1e3", "1000.0"),
        ("2.5e-1", "0.25"),
        ("24000.", "24000.0"),
        ("1.to_s", "1.to_s"),
        ("0", "0"),
        ("010", "a number with a leading zero at 0"),
        ("0x", "a malformed number at 0"),
        ("0b12", "a malformed number at 0"),
        ("170141183460469231731687303715884105728", "a number beyond 127 bits at 0"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn texts_have_escapes_in_double_quotes_only() {
    for (text, wanted) in [
        (r#""a\n\x""#, "an unknown escape at 4"),
        (r#""\0\62\u263b\e""#, "\"\\02☻\\u{1b}\""),
        (r"'a\n'", "\"a\\\\n\""),
        (r#""a" 'b'"#, "\"ab\""),
        (r#""a"#, "quotes that are never closed at 0"),
        (r#"f"x={a + 1}, {f"{b}"}!""#, "f\"x={(a Add 1)}, {f\"{b}\"}!\""),
        (r#"f"{a""#, "quotes that are never closed at 4"),
        (r#""\u12""#, "an escape that is no character at 1"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn mistakes_are_marked_where_they_are() {
    for (text, wanted) in [
        ("", "an operand is missing at the end at 0"),
        ("1 +", "an operand is missing at the end at 3"),
        ("(1 + 5", "a `(` that is never closed at 0"),
        ("a b", "an unexpected `b`; an operator or the end is expected at 2"),
        ("a == b == c", "`and` or `or` is expected here at 7"),
        ("a && b", "`&&` is no operator at 2"),
        ("!a", "an unexpected `!` at 0"),
        ("a = 1", "an unexpected `=` at 2"),
        ("a.", "the name of an attribute or a method is missing at the end at 2"),
        ("a ? b", "`:` is missing at the end at 5"),
        ("3 (1)", "an unexpected `(`; an operator or the end is expected at 2"),
        ("foo(1", "`)` is missing at the end at 5"),
        ("a}", "an unexpected `}` at 1"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn types_and_processes_take_arguments() {
    let origin = |text: &str| {
        let place = SourceRange { file: 0, start: 0, end: u32::try_from(text.len()).unwrap() };
        Origin::new(&Node { value: Value::Scalar { text: text.to_owned(), quoted: false }, place }, text)
    };
    let call = type_call("a::b(1, x.y)", &origin("a::b(1, x.y)")).unwrap();
    assert_eq!((call.name.text(), call.args.len()), ("a::b".to_owned(), 2));
    let call = process_call("nested.deeply.custom_fx(7)", &origin("nested.deeply.custom_fx(7)")).unwrap();
    assert_eq!((call.name.path.join("."), call.args.len()), ("nested.deeply.custom_fx".to_owned(), 1));
    assert!(type_call("a(1, )", &origin("a(1, )")).is_err());
    assert!(process_call("xor(", &origin("xor(")).is_err());
}
