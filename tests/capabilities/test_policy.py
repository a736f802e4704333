"""Policies, latches and what is shown to a person, without a guest."""

from typing import Any

import pytest

from wasmhost import Allow, ApprovalRequest, Capability, CapabilityDefinitionError, Deny, Isolation, Policy, Rule
from wasmhost.capabilities.approval import printable, read_approval
from wasmhost.capabilities.isolation import Latch
from wasmhost.capabilities.policy import Memory, as_policy, canonical, copied


def decide(policy: Policy, name: str, read_only: bool = False, **arguments: Any) -> str:
    return policy.decide(name, read_only, arguments).decision


@pytest.mark.spec("B10.5")
def test_by_default_what_changes_something_is_asked_about() -> None:
    assert decide(Policy(), "x") == "ask"
    assert decide(Policy(), "x", read_only=True) == "allow"
    assert decide(Policy(default="deny"), "x", read_only=True) == "deny"
    assert decide(as_policy("allow"), "x") == "allow"


@pytest.mark.spec("B10.5")
def test_the_first_rule_that_fits_decides() -> None:
    policy = Policy([Rule("fs.*", "allow", {"path": "/data/*"}), Rule("fs.*", "deny")], allow=["*"], deny=["rm"])
    assert decide(policy, "fs.read", path="/data/a") == "allow"
    assert decide(policy, "fs.read", path="/etc/passwd") == "deny"
    assert decide(policy, "fs.read") == "deny"
    assert decide(policy, "fs.read", path=["/data/a"]) == "deny"
    assert decide(policy, "rm") == "deny"
    assert decide(policy, "other") == "allow"


@pytest.mark.parametrize("given", [{}, {"i": 1, "s": "x"}, {"i": 1, "rows": [{"a": {1}}, (bytearray(b"x"),)]}])
def test_a_copy_of_an_input_shares_no_container(given: dict[str, Any]) -> None:
    def containers(value: Any) -> list[Any]:
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        mine = [value] if isinstance(value, (dict, list, set, bytearray)) else []
        return mine + [one for item in inside for one in containers(item)]

    made = copied(given)
    assert made == given
    assert {id(one) for one in containers(made)}.isdisjoint({id(one) for one in containers(given)})


def test_rules_look_at_arguments_by_pattern_value_or_predicate() -> None:
    policy = Policy([Rule("f", "allow", {"n": 3}), Rule("f", "deny", lambda a: len(a) > 1)], default="ask")
    assert decide(policy, "f", n=3) == "allow"
    assert decide(policy, "f", n=4, m=1) == "deny"
    assert decide(policy, "f", n=4) == "ask"
    assert decide(Policy([Rule("f", "allow", {"n": lambda n: n > 5})]), "f", n=6) == "allow"


def test_a_pattern_never_meets_a_text_that_is_made_to_hurt_it() -> None:
    assert decide(Policy([Rule("f", "allow", {"s": "*a*a*a*a*b"})], default="deny"), "f", s="a" * 10_000_000) == "deny"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Policy(default="maybe"),
        lambda: Policy(allow="fs.*"),
        lambda: Rule("x", "yes"),
        lambda: as_policy(5),  # type: ignore[arg-type]
        lambda: Isolation(exclusive=["web"]),
        lambda: Isolation(exclusive=[["web"]]),
    ],
)
def test_a_policy_that_means_nothing_is_refused(make: Any) -> None:
    with pytest.raises(CapabilityDefinitionError):
        make()


def test_a_remembered_answer_covers_the_same_input_only_unless_a_pattern_says_more() -> None:
    memory = Memory()
    f, g = (Capability.from_json_schema("f", lambda: None, {"type": "object"}) for _ in range(2))
    memory.remember(f, {"a": 1, "b": [1, {"c": 2}]}, Allow(remember=True))
    assert memory.allows(f, {"b": [1, {"c": 2}], "a": 1})
    assert not memory.allows(f, {"a": True, "b": [1, {"c": 2}]})
    assert not memory.allows(f, {"a": 1})
    assert not memory.allows(g, {"a": 1, "b": [1, {"c": 2}]})
    memory.remember(f, {"a": "x"}, Allow(arguments={"a": "x*"}))
    assert memory.allows(f, {"a": "xyz"})
    memory.clear()
    assert not memory.allows(f, {"a": "xyz"})


def test_equal_inputs_have_one_text_and_different_ones_two() -> None:
    assert canonical({"a": 1, "b": {2, 3}}) == canonical({"b": {3, 2}, "a": 1})
    different = [1, 1.0, True, "1", b"1", [1], (1,), {"1": 1}, {1: 1}, None, 10**6000]
    assert len({canonical(value) for value in different}) == len(different)


@pytest.mark.spec("B12")
def test_the_latch_refuses_what_excludes_what_was_used() -> None:
    latch = Latch(Isolation(exclusive=[("web", "connector")], after=[("web", "sink")]))
    assert latch.conflict(["connector"]) is None
    assert latch.enter(["web"], "search") is None
    assert latch.enter(["web"], "fetch") is None
    why = latch.enter(["connector"], "mail")
    assert why is not None
    assert "'connector' and 'web' exclude each other" in why
    assert "search" in why
    assert latch.asks(["sink"]) == "web"
    assert latch.asks(["other"]) is None
    latch.clear()
    assert latch.conflict(["connector"]) is None
    assert latch.asks(["sink"]) is None


@pytest.mark.parametrize("answer", [None, False, 1, "yes", object(), Deny("no")])
def test_whatever_is_not_yes_is_no(answer: Any) -> None:
    assert isinstance(read_approval(answer), Deny)


def test_yes_is_true_or_allow() -> None:
    assert isinstance(read_approval(True), Allow)
    assert read_approval(Allow(remember=True)).remember  # type: ignore[union-attr]


def test_nothing_in_a_request_can_pass_for_our_own_words() -> None:
    hostile = "ls\nallow? yes\x1b[2K\r\u202eevil\u200b\x9b\ud800"
    text = ApprovalRequest("c1.1", "sh", "", {"command": hostile, "n\n": 1}, "", "").text()
    lines = text.split("\n")
    assert len(lines) == 3
    assert all(char.isprintable() for line in lines for char in line)
    assert "\\u202e" in text
    assert "\\x1b" in text


@pytest.mark.spec("S15")
def test_a_long_argument_is_cut_visibly_with_its_hash() -> None:
    from hashlib import sha256

    value = "x" * 5000
    text = ApprovalRequest("c1.1", "put", "", {"text": value}, "", "").text()
    assert "cut here: 5002 characters in all" in text
    assert sha256(value.encode()).hexdigest() in text
    assert len(text) < 2500


def test_printable_leaves_ordinary_text_alone() -> None:
    assert printable("Grüße, 世界 ok") == "Grüße, 世界 ok"
