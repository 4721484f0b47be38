// Times, changes and scores in words.

const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const CHANGES = {
  added: "Added",
  updated: "Corrected",
  deleted: "Deleted",
  restored: "Restored",
  merged: "Others were merged into it",
  merged_away: "Merged into another memory",
  unmerged: "The merge was undone",
  add: "An entry was added",
  replace: "Text was replaced",
  remove: "Text was removed",
  undo: "A change was undone",
  outside: "Written by an operator",
};

/** A moment, formatted for people. */
export function moment(iso) {
  return LONG.format(new Date(iso));
}

/** A moment to the second, where versions may be close to each other. */
export function exactly(iso) {
  return EXACT.format(new Date(iso));
}

/** The change that made a version. */
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

/** Why a search found a memory: a sentence for each part of the score. */
export function explained({ wordScore, meaningScore, neighbourFactor, nameFactor, meaningOnlyFactor }) {
  const matched = percent(wordScore);
  return [
    matched > 0
      ? `Words: ${matched} % of the best possible match with your words.`
      : "Words: it contains none of your words.",
    meaningScore === undefined
      ? "Meaning: not compared, because an embedding is missing."
      : `Meaning: ${closeness(meaningScore)} (${meaningScore.toFixed(2)}; 1 is the same, 0 is unrelated).${
          meaningOnlyFactor > 1 ? " It counts double, because no memory contains any of your words." : ""
        }`,
    neighbourFactor > 1.005
      ? `Time: raised by ${percent(neighbourFactor - 1)} %, because it was said around the same time as other matches.`
      : "Time: no effect.",
    nameFactor < 0.995
      ? `Names: lowered by ${percent(1 - nameFactor)} %, because it contains none of the names you asked about.`
      : "Names: no effect.",
  ];
}

function percent(share) {
  return Math.round(share * 100);
}

function closeness(meaning) {
  if (meaning >= 0.6) return "very close";
  if (meaning >= 0.35) return "close";
  return meaning >= 0.15 ? "somewhat close" : "hardly related";
}
