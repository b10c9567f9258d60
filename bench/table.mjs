// table.mjs - aligned columns with significant digits.

export function table(headings, rows) {
  const all = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const pad = (cell, i) => (/^[\d-]/.test(cell) || all[0][i] === "ratio" ? cell.padStart(widths[i]) : cell.padEnd(widths[i]));
  const line = (row) => row.map(pad).join("  ").trimEnd();
  return [line(all[0]), widths.map((width) => "-".repeat(width)).join("  "), ...all.slice(1).map(line)].join("\n");
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export const whole = (number) => (number === null ? "-" : Math.round(number).toLocaleString("en-US"));
export const fixed = (number, digits = 2) => (number === null ? "-" : number.toFixed(digits));
export const percent = (ratio) => `${(ratio * 100).toFixed(1)} %`;
