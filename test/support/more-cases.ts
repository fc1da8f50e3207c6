import fc from "fast-check";

// Loaded before the tests by `npm run fuzz`.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: Number(process.env.FUZZ_RUNS ?? 5000) });
