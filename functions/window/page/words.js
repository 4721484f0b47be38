// Times, changes and scores in words.

const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const CHANGES = {
  added: "Added",
  updated: "Corrected",
  deleted: "Deleted",
  restored: "Brought back",
  merged: "Others were merged into it",
  merged_away: "Merged into another memory",
  unmerged: "The merge was taken back",
  add: "An entry was added",
  replace: "Text was replaced",
  remove: "Text was removed",
  undo: "A change was undone",
  outside: "Written by an operator",
};

/** A moment, for people. */
export function moment(iso) {
  return LONG.format(new Date(iso));
}

/** A moment to the second, where versions may be close to each other. */
export function exactly(iso) {
  return EXACT.format(new Date(iso));
}

/** What made a version. */
export function change(name) {
  return CHANGES[name] ?? name;
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}

/** The beginning of a text, on one line. */
export function short(text, most = 60) {
  const line = [...text.slice(0, 4 * most).replace(/\s+/gu, " ").trim()];
  return line.length > most ? `${line.slice(0, most - 1).join("")}…` : line.join("");
}

/** Comma-separated tags. */
export function tagsOf(text) {
  return text.split(",").map((tag) => tag.trim()).filter(Boolean);
}

/** What a score is made of, a sentence a part. */
export function explained({ words, meaning, lift, names, alone }) {
  const percent = Math.round(words * 100);
  return [
    percent > 0
      ? `Words: ${percent} % of what the words of the question could give any memory.`
      : "Words: it has none of the words asked for.",
    meaning === undefined
      ? "Meaning: not compared; there are no two embeddings of one model."
      : `Meaning: ${closeness(meaning)} (${meaning.toFixed(2)}, where 1 is the same and 0 or less unrelated).${
          alone > 1 ? " It counts double: no memory has any of the words." : ""
        }`,
    lift > 1.005
      ? `Company: raised by ${Math.round((lift - 1) * 100)} % for what else was said around the same time.`
      : "Company: not raised by what was said around the same time.",
    names < 0.995
      ? `Names: lowered by ${Math.round((1 - names) * 100)} %, as it does not have the names asked for.`
      : "Names: not lowered; no name asked for is missing.",
  ];
}

function closeness(meaning) {
  if (meaning >= 0.6) return "very close";
  if (meaning >= 0.35) return "close";
  return meaning >= 0.15 ? "somewhat close" : "hardly related";
}
