/** The root mean square of 16-bit samples: 0 is silence, 32,767 the loudest. */
export function loudness(samples: Buffer): number {
  const count = Math.floor(samples.length / 2);
  let sum = 0;
  for (let index = 0; index < count; index++) sum += samples.readInt16LE(2 * index) ** 2;
  return count === 0 ? 0 : Math.sqrt(sum / count);
}
