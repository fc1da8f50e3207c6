/**
 * Continues with a value at once, or when its promise resolves. A chain of steps that rarely wait needs no promise for
 * each step.
 */
export function whenReady<T, U>(value: T | Promise<T>, proceed: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}
