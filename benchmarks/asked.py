"""Ways to ask a question: as it is, politely, or somewhere in a message about other things."""

from hashlib import blake2b
from typing import Final

_POLITE: Final = (
    "Hi! Could you please tell me: {q} Thanks a lot!",
    "Sorry to bother you, but do you happen to remember this? {q}",
    "{q} I would be really grateful if you could look that up for me, thank you.",
    "Hey, quick question if you have a moment: {q}",
    "Please help me out here. {q}",
)
_RAMBLING: Final = (
    (
        "Good morning! I slept badly again because the neighbours had their music on until two, and then the bins "
        "were collected at six. Anyway, I made some coffee and sat down with the newspaper. {q} No hurry with "
        "that, I have to hang up the washing first and call the plumber about the kitchen tap."
    ),
    (
        "{q} I was thinking about it on the bus today, which was late as usual, so I had plenty of time to stare "
        "out of the window. It rained so hard that my shoes are still wet, and the umbrella I bought last month "
        "has broken already. Tomorrow I am going to try the train instead."
    ),
    (
        "So the printer at work is broken again, and nobody from support has come round. My boss wants the report "
        "by Friday, and half the figures are missing. I told her I would do what I can, but honestly I doubt it. "
        "Then lunch was cold as well. Well, enough of that. {q}"
    ),
    (
        "I've just come back from the supermarket, they had no eggs and the queue was endless. I ended up buying "
        "three kinds of cheese that I do not need. My sister says I should make a list before I go. Perhaps she "
        "is right. {q} By the way, remind me later that the parcel has to go to the post office before five."
    ),
    (
        "Can you believe that the heating is off again? The landlord said someone would come on Tuesday, and "
        "nobody came. I am sitting here in two sweaters with a hot water bottle. While I wait for him to call "
        "back, {q} And then maybe find me a recipe for soup with what is left in the fridge, some carrots and "
        "half a cabbage."
    ),
    (
        "ok so random thought while I'm stuck in this waiting room, there's an old man opposite who keeps humming "
        "the same tune and the magazines are all from last year lol. {q} also my phone is at ten percent so if I "
        "don't answer that's why"
    ),
    (
        "{q} Sorry for being so blunt, it has been one of those days. The car would not start, the garage says "
        "it's the battery and they want two hundred for a new one. I walked the whole way, and when I got there "
        "the meeting had been moved to next week. At least the sun was out and I got some steps in."
    ),
    (
        "We finally finished painting the hallway, it took the whole weekend and there's still paint on my "
        "elbows. The colour looks different in the evening, a bit more green than I wanted. We might do the "
        "stairs next. Oh, before I forget: {q} After that I want to look at curtains, and I need the measurements "
        "of the window for it."
    ),
    (
        "Let me think out loud for a second. The flight is at nine, so I should leave the house by six, which "
        "means getting up at five, and I haven't even packed. The cat has to be fed, the plants too, and the key "
        "goes to the neighbour. Right. And one more thing that has been on my mind: {q}"
    ),
    (
        "Thank you for the help with the letter yesterday, it went out this morning and I feel much lighter. The "
        "bank had another form for me though, of course, four pages, and I had to copy my number from the card "
        "twice. {q} If it's too late for that now, we can do it tomorrow, I'm at home all day except for the "
        "dentist at three."
    ),
    (
        "My head is full today. The kids have a day off school, the dishwasher leaks, and my mother wants to come "
        "over for dinner, so I have to cook something decent. {q} I also promised to bake a cake for the street "
        "party, chocolate probably, because everybody likes that, and somebody has to bring chairs."
    ),
    (
        "Last night I watched that series everybody is talking about, three episodes in a row, and I still do not "
        "understand who the man with the hat is supposed to be. The music was great though. It was past midnight "
        "when I turned it off, so I am a bit slow this morning. {q} Take your time, I'm going to have breakfast "
        "first."
    ),
)

WAYS: Final = {"plain": ("{q}",), "polite": _POLITE, "rambling": _RAMBLING}


def asked(question: str, way: str) -> str:
    """The question, asked in one of the ways of WAYS. The same question is always asked in the same words."""
    wordings = WAYS[way]
    number = int.from_bytes(blake2b(question.encode(), digest_size=4).digest())
    return wordings[number % len(wordings)].replace("{q}", question)
