import type { Annotations } from "./annotations.ts";
import type { SchemaReading, SchemaReader } from "./read-schema.ts";
import { isReference, type SchemaParts, type SchemaReference, type Shape } from "./shape.ts";
import { withoutChildren } from "./unions.ts";

/** A shape with the definitions that contain it, outermost first. */
export interface PlacedShape extends Shape {
  readonly trail: readonly object[];
}

export interface Expanded {
  /** The options. Undefined: any value is allowed. */
  readonly options?: readonly (PlacedShape | SchemaReference)[];
  readonly nullable: boolean;
}

export interface ExpandOptions {
  readonly keepReferences: boolean;
  /** The maximum number of times that a definition may be nested in itself. Deeper levels lose their children. */
  readonly recursion: number;
  readonly anyItems: SchemaParts;
}

/** Returns the options of a schema, with references resolved unless they are kept. */
export function expandSchema(
  reading: SchemaReading,
  trail: readonly object[],
  reader: SchemaReader,
  { keepReferences, recursion, anyItems }: ExpandOptions,
): Expanded {
  const matches: (PlacedShape | SchemaReference)[] = [];
  const open = new Set<object>();
  let nullable = reading.nullable;
  let any = reading.options === undefined;
  for (const option of reading.options ?? []) visit(option, {}, trail);
  return { nullable, ...(any ? {} : { options: matches }) };

  function visit(option: Shape | SchemaReference, outer: Annotations, via: readonly object[]): void {
    const annotations = { ...option.annotations, ...outer };
    if (!isReference(option)) {
      const last = via.length > trail.length ? via.at(-1) : undefined;
      const repeats = via.filter((target) => target === last).length;
      const shape = { ...option, annotations, trail: via };
      matches.push(last !== undefined && repeats > recursion ? withoutChildren(shape, anyItems) : shape);
    } else if (keepReferences) {
      if (readDefinition(option.target, reader).options === undefined) any = true;
      matches.push({ ...option, annotations });
    } else if (!open.has(option.target)) {
      open.add(option.target);
      const target = reader.read([option.target]);
      if (target.options === undefined) any = true;
      if (target.nullable) nullable = true;
      const own = target.options?.length === 1 ? { ...target.annotations, ...annotations } : annotations;
      for (const inner of target.options ?? []) visit(inner, own, [...via, option.target]);
      open.delete(option.target);
    }
  }
}

/** Reads a definition without itself as an option, because such an option adds nothing and breaks grammars. */
export function readDefinition(target: object, reader: SchemaReader): SchemaReading {
  const { options, ...reading } = reader.read([target]);
  const kept = options?.filter((option) => !isReference(option) || !leadsTo(option.target, target, reader)) ?? [];
  return kept.length === 0 && (options === undefined || !reading.nullable) ? reading : { ...reading, options: kept };
}

/** Returns whether this definition leads back to `home` through unions only. */
function leadsTo(from: object, home: object, reader: SchemaReader): boolean {
  const seen = new Set<object>();
  const waiting = [from];
  for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
    if (target === home) return true;
    if (seen.has(target)) continue;
    seen.add(target);
    for (const option of reader.read([target]).options ?? []) if (isReference(option)) waiting.push(option.target);
  }
  return false;
}
