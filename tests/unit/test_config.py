"""The settings of a deployment."""

import pytest
from memtools.config import Settings

ENVIRONMENT = {
    "TABLE_NAME": "traces",
    "INDEX_NAME": "by-change",
    "BUCKET_NAME": "personas",
    "AGENT_ID": "helper",
    "RETENTION_DAYS": "30",
    "DOCUMENT_LIMIT": "16000",
    "RELEVANCE_FLOOR": "0.1",
    "EMBEDDER": "minilm",
    "EMBEDDING_MODEL": "amazon.titan-embed-text-v2:0",
}


def test_all_settings_are_read() -> None:
    assert Settings.from_environment(ENVIRONMENT) == Settings(
        table="traces",
        index="by-change",
        bucket="personas",
        agent_id="helper",
        retention_days=30,
        document_limit=16000,
        relevance_floor=0.1,
        embedder="minilm",
        embedding_model="amazon.titan-embed-text-v2:0",
    )


@pytest.mark.parametrize("name", sorted(ENVIRONMENT.keys() - {"AGENT_ID"}))
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_setting_is_named(name: str, value: str | None) -> None:
    environment = {key: told for key, told in ENVIRONMENT.items() if key != name}
    with pytest.raises(ValueError, match=name):
        Settings.from_environment(environment if value is None else {**environment, name: value})


def test_a_deployment_may_name_no_agent() -> None:
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "AGENT_ID"}
    assert Settings.from_environment(environment).agent_id == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("RETENTION_DAYS", value) for value in ("a month", "1.5", "-1")),
        *(("DOCUMENT_LIMIT", value) for value in ("many", "0")),
        *(("RELEVANCE_FLOOR", value) for value in ("low", "nan", "1.5", "-0.1")),
        ("EMBEDDER", "word2vec"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name):
        Settings.from_environment({**ENVIRONMENT, name: value})


@pytest.mark.parametrize("choice", ["none", "bedrock"])
def test_search_by_words_alone_or_by_another_model_is_a_setting(choice: str) -> None:
    assert Settings.from_environment({**ENVIRONMENT, "EMBEDDER": choice}).embedder == choice
