// Waits for a condition, with a timeout. Tests never sleep for a fixed time.

// Timeouts are longer under ThreadSanitizer.
export const PATIENCE = /tsan/.test(process.env.PENCHANT ?? "") ? 4 : 1;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Calls `look` until it returns something truthy, and returns that.
export async function until(what, look, within = 60_000) {
  const end = Date.now() + within * PATIENCE;
  for (let wait = 2; ; wait = Math.min(wait * 1.5, 50)) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`waited ${within} ms for ${what}`);
    await pause(wait);
  }
}

// The promise's value, or an error that names what did not happen in time.
export async function soon(what, promise, within = 60_000) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${within} ms for ${what}`)), within * PATIENCE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
