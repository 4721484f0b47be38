"""Who asks for a word, a number or an id that few traces have finds one of these, in any script, at any length."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from memtools.domain.trace import Trace
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank
from memtools.ranking.terms import sentences

NOW = datetime(2026, 12, 1, tzinfo=UTC)
FLOOR = 0.25  # RelevanceFloor, unless it is set
LIMIT = 20  # hits, unless `limit` is set
SCRIPTS = {
    "latin": "abcdefghijklmnopqrstuvwxyzäöüßéñ",
    "cyrillic": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "hangul": "".join(map(chr, range(0xAC00, 0xB380, 3))),
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "devanagari": "कखगघचछजझटठडढतथदधनपफबभमयरलवशषसह",
    "thai": "กขคงจฉชซญดตถทธนบปผพฟภมยรลวศสหอ",
    "han": "".join(map(chr, range(0x4E00, 0x5700))),
    "kana": "".join(map(chr, range(0x3042, 0x3090))),
}


class Words:
    """Makes words of a script."""

    def __init__(self, chance: random.Random, script: str) -> None:
        self.chance = chance
        self._letters = SCRIPTS[script]
        self.usual = [self.word(3, 9) for _ in range(60)]

    def word(self, shortest: int, longest: int) -> str:
        return "".join(self.chance.choices(self._letters, k=self.chance.randint(shortest, longest)))

    def text(self, count: int) -> list[str]:
        return self.chance.choices(self.usual, k=count)

    def sought(self) -> str:
        number = self.chance.randint(100_000, 10**9)
        return self.chance.choice([self.word(8, 14), str(number), f"{self.word(2, 3)}-{number}", f"AB_{number}_x"])

    def holding(self, sought: str, count: int) -> str:
        """A text of some words with one among them."""
        words = self.text(count)
        words.insert(self.chance.randint(0, count), sought)
        return " ".join(words)


def found(index: Index, question: str) -> list[str]:
    query = Query(text=question, embeddings=[None] * len(sentences(question)), now=NOW + timedelta(days=365))
    return [one.id for one in rank(index, query, floor=FLOOR)][:LIMIT]


def scope_of(texts: list[str]) -> Index:
    traces = [
        Trace(id=f"t{number}", content=text, created_at=NOW + timedelta(minutes=number), changed_at=NOW)
        for number, text in enumerate(texts)
    ]
    return Index.empty("").fold(traces)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("traces", [1, 12, 400])
def test_what_few_traces_have_is_found(script: str, traces: int) -> None:
    chance = random.Random(f"{script} {traces}")
    for longest, asked in ((1, 0), (20, 3), (300, 40), (6000 if traces < 400 else 600, 299)):
        words = Words(chance, script)
        sought = words.sought()
        having = chance.sample(range(traces), chance.randint(1, min(10, traces)))
        texts = [words.holding(sought, longest) if one in having else " ".join(words.text(8)) for one in range(traces)]
        # The other words of the question are usual here, or unknown.
        question = [chance.choice([*words.text(1), words.word(4, 9)]) for _ in range(asked)]
        question.insert(chance.randint(0, asked), sought)
        assert {f"t{one}" for one in having} & set(found(scope_of(texts), " ".join(question))), (sought, question)


def test_ten_thousand_short_facts_do_not_hide_a_long_page() -> None:
    words = Words(random.Random(1), "latin")
    texts = [" ".join(words.text(8)) for _ in range(10_000)]
    texts[5_000] = words.holding("Zwentibold", 9_000)
    index = scope_of(texts)
    assert found(index, "Zwentibold")[0] == "t5000"
    assert "t5000" in found(index, "Who was this Zwentibold again? " + "I read about him on the train today. " * 12)


def test_words_that_stand_together_in_a_page_find_it_and_scattered_ones_do_not_count_more() -> None:
    filler = [f"word{number}" for number in range(2_000)]
    together = [*filler[:1000], "green", "tea", "from", "Uji", *filler[1000:]]
    scattered = [*filler]
    for place, word in ((100, "green"), (900, "tea"), (1700, "Uji")):
        scattered.insert(place, word)
    assert found(scope_of([" ".join(scattered), " ".join(together)]), "green tea Uji")[0] == "t1"


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("null pointer", "The nightly job fails with a NullPointerException"),
        ("order line", "The key of the table is order_line_id"),
        ("order_line_id", "The key of the table is orderLineId"),
        ("DE89370400440532013000", "The rent goes to DE89 3704 0044 0532 0130 00"),
        ("DE89 3704 0044 0532 0130 00", "The rent goes to DE89370400440532013000"),
        ("9783161484100", "The gift for Ana is the book 978-3-16-148410-0"),
        ("0301234567", "The plumber's number is 030 / 123-4567"),
        ("http server", "We replaced HTTPServer by nginx"),
        ("button primary", "The class is called btn-primary and before that button-primary-large"),
        ("settings", "It is in /etc/acme/settings.local.yaml"),
    ],
)
def test_identifiers_are_found_whole_and_by_their_sentences(question: str, fact: str) -> None:
    others = ["Ana drinks tea", "The meeting is on Monday", "Bob lives in Porto", "The cat is called Minka"]
    assert found(scope_of([*others, fact]), question) == ["t4"]


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("고양이 이름이 뭐야?", "우리 고양이는 나비라고 부른다"),
        ("설탕", "커피에 설탕을 넣지 않는다"),
        ("مستشفى", "أختي تعمل في المستشفى"),
        ("Zahnarzt", "Der Zahnarzttermin ist am Montag"),
        ("Missä koira nukkuu?", "Koirani nukkuvat keittiössä"),
        ("Kedinin adı ne?", "Kedimin adı Pamuk"),
        ("Где велосипеды?", "Велосипед стоит в подвале"),
    ],
)
def test_words_of_languages_that_inflect_and_compound_are_found_by_their_sentences(question: str, fact: str) -> None:
    others = [
        "저녁에는 책을 읽는다",
        "أشرب الشاي",
        "Wir fahren nach Italien",
        "Luen iltaisin",
        "Çay içerim",
        "Я люблю чай",
    ]
    assert found(scope_of([*others, fact]), question)[:1] == ["t6"]


def test_the_id_of_a_trace_finds_it_first() -> None:
    traces = [
        Trace(id=name, content=text, created_at=NOW, changed_at=NOW)
        for name, text in (
            ("mt_" + "0a" * 16, "drinks tea"),
            ("imported-7", "lives in Porto"),
            ("mt_" + "0b" * 16, "x"),
        )
    ]
    index = Index.empty("").fold(traces)
    assert found(index, "mt_" + "0a" * 16) == ["mt_" + "0a" * 16]
    assert found(index, "What is `imported-7`?") == ["imported-7"]
    assert found(index.without(["imported-7"]), "imported-7") == []


def test_the_question_is_found_wherever_it_stands_in_a_message() -> None:
    about = (
        "It rained all day, and the umbrella broke. The train was late again. Lunch was cold, but the soup was good."
    )
    facts = ["Maria keeps bees in the garden behind her house", "Tom repairs old radios", "Ana sings in a choir"]
    index = scope_of(facts)
    alone = found(index, "Where does Maria keep her bees?")
    for message in (f"Where does Maria keep her bees? {about}", f"{about} Where does Maria keep her bees? {about}"):
        assert found(index, message) == alone == ["t0"]


@pytest.mark.parametrize(
    "text", ["a" * 9_000, "aB" * 4_000, "''" * 4_000, "1 " * 4_000, " " * 9_000 + "x", "." * 9_000, "\0"]
)
def test_odd_texts_and_questions_do_no_harm(text: str) -> None:
    """Each took seconds or more with an expression that looks for its end at each place again."""
    assert 1 <= len(sentences(text)) <= 24
    found(scope_of([text * 20, "likes tea", text]), f"{text} tea {text}")
