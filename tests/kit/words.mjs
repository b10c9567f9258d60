// Selects tests by words of the command line. A word is the beginning of a file's name (api/sign_up, unit/base),
// the beginning or the end of a group's name (fault, "fault on SQLite", PostgreSQL), or both
// ("api/sign_up on PostgreSQL").

// An argument may hold several words: "api/sign_up on SQLite api/health" are two.
export const wordsOf = (args) => args.flatMap((arg) => arg.match(/\S+(?: on (?:both stores|\S+))?/g) ?? []);

const storeOf = (group) => / on .*$/.exec(group)?.[0] ?? "";

export const matches = ({ name, group }, word) =>
  name.startsWith(word) || `${name}${storeOf(group)}`.startsWith(word) || group.startsWith(word) || group.endsWith(word);

// The tasks that the words select; all tasks without words. A word that selects none is an error.
export function choose(tasks, words) {
  const useless = words.filter((word) => !tasks.some((task) => matches(task, word)));
  if (useless.length > 0) {
    console.error(`tests: no test matches ${useless.map((word) => `"${word}"`).join(", ")} (examples: api/sign_up, "api/sign_up on PostgreSQL", unit/base, fault)`);
    process.exit(2);
  }
  return words.length === 0 ? tasks : tasks.filter((task) => words.some((word) => matches(task, word)));
}
