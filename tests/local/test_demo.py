"""The demo is a test of its own, and one that can fail."""

import pytest

from local import demo


def test_the_story_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main() == 0
    told = capsys.readouterr().out
    assert "All as expected." in told
    assert "✗ " not in told.partition("Verified")[2]
    assert '"level":"INFO"' not in told


def test_a_broken_expectation_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """Where a search finds nothing, the claims about searches fail, and only they."""
    assert demo.main(floor=1.0) == 1
    verdict = capsys.readouterr().out.partition("Verified")[2]
    assert "✗ a search in other words finds the fact" in verdict
    assert "✗ the merged fact is found at once" in verdict
    assert "2 of " in verdict
    assert "✓ a known fact is not stored twice" in verdict


def test_a_claim_that_fails_is_kept_account_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the story claims, one false claim is enough for a status other than 0."""
    monkeypatch.setattr(demo, "tell", lambda story: story.verify("pigs fly", False))
    assert demo.main() == 1
    assert "✗ pigs fly" in capsys.readouterr().out


def test_a_story_that_verifies_nothing_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "tell", lambda story: story.chapter("Nothing happens"))
    assert demo.main() == 1
