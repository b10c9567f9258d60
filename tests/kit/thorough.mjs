// How much a test repeats: SOAK=1 (as in `make soak`) tries more values, seeds, and users than `make check`.

export const SOAK = Boolean(process.env.SOAK);

export const often = (inCheck, inSoak) => (SOAK ? inSoak : inCheck);
