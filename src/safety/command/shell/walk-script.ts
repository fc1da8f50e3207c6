import { type AndOr, type Command, type CommandNode, type ParsedScript, type Pipeline, type Statement } from "unbash";

import { expandCommand, withHoles } from "./assignment.ts";
import { addBranch, stateAfterIteration, alwaysSucceeds, joinBranch, likelySucceeds } from "./branches.ts";
import { changeState, forgetLoopVariables, inputLines, loopValues } from "./change-state.ts";
import { createExpansion, createExpansions, type ExpansionHost } from "./create-expansion.ts";
import { createDoubts, isTooNested } from "./doubts.ts";
import { evaluateArguments, evaluateTree, isEvaluating } from "./evaluate.ts";
import { expandOne, expandWord, misreadParts } from "./expand-word.ts";
import { spanOf, type WalkPosition } from "./expansion.ts";
import { knownField, literal } from "./field.ts";
import { createOutputs } from "./outputs.ts";
import { isPartlyKnown, likelyCode, stateFor } from "./payload-state.ts";
import { inputOf, redirectsOutput, redirectionsOf } from "./redirections.ts";
import {
  aliasOf,
  aliasText,
  copyState,
  type DefinedFunction,
  joinStates,
  type ScriptState,
  setVariable,
} from "./shell-state.ts";
import { charsOf, noInput, type SimpleCommand } from "./simple-command.ts";
import { defaultWalkLimits, roundLimits, type Visitor, type Walk, type WalkLimits, withDefaults } from "./walk.ts";
import { createContents } from "./written-contents.ts";

type Loop = Extract<CommandNode, { readonly type: "For" | "Select" }>;

/** Visits every command that `text` can run, on every path through it. Starts in `state` and changes it. */
export function walkScript(text: string, state: ScriptState, visitor: Visitor, limits = defaultWalkLimits): Walk {
  const walker = createWalker(withDefaults(visitor), limits);
  walker.script(text, { state, via: [], stdin: noInput, isBackground: false, depth: 0, isGiven: true, conditions: 0 });
  return walker.result();
}

function createWalker(visitor: ReturnType<typeof withDefaults>, limits: WalkLimits) {
  const commands: SimpleCommand[] = [];
  const doubts = createDoubts();
  let root: ParsedScript | undefined;
  let spent = 0;
  /** The bodies of the functions on the call stack. */
  const calling: DefinedFunction["body"][] = [];
  const outputs = createOutputs(visitor);
  /** The number of `break`, `continue` and `return` statements so far. */
  let jumps = 0;
  /** The product of the iterations of the enclosing loops. */
  let rounds = 1;
  const [expansion, contents] = [createExpansions(() => host), createContents(visitor.contents)];
  /** True after `shopt -s lastpipe`: the last command of a pipeline then runs in the shell itself. */
  let isLastKept = false;
  /** The code of traps, which runs at the latest when the shell ends. */
  const traps: string[] = [];
  /** Functions that walk the background commands. */
  const inBackground: (() => void)[] = [];
  /** Texts that were walked because a shell may read them as code. */
  const guessed = new Set<string>();
  /** The code that programs run. */
  const scripts = new Set<string>();

  function bare({ state: { cwd }, via, stdin, isBackground }: WalkPosition): Omit<SimpleCommand, "argv"> {
    const files = contents.current();
    return { assignments: [], redirections: [], cwd, stdin, contents: files, via, isBackground, isRecursion: false };
  }

  function isTooMuch(depth: number): boolean {
    if (commands.length >= limits.maxCommands || spent > limits.maxWordChars) doubts.add("too_many");
    else if (depth > limits.maxDepth) doubts.add("too_deep");
    else return false;
    return true;
  }

  function script(text: string, place: WalkPosition): void {
    if (text.length > limits.maxChars) return doubts.add("too_large");
    if (place.depth > limits.maxDepth || isTooNested(text)) return doubts.add("too_deep");
    const normal = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
    for (const part of misreadParts(normal)) doubts.add("unparsable", part);
    const from = traps.length;
    parsed(visitor.parse(normal), normal, place);
    runTraps(from, place);
  }

  /** Walks the code of traps with the final folder and variables of the shell. */
  function runTraps(from: number, place: WalkPosition): void {
    if (place.via.includes("trap")) return;
    for (const text of traps.slice(from)) script(text, { ...place, via: [...place.via, "trap"], isGiven: false });
  }

  function parsed(tree: ParsedScript, source: string, place: WalkPosition): void {
    root ??= tree;
    for (const { message, pos } of tree.errors ?? [])
      doubts.add("unparsable", message, place.isGiven ? { start: pos, end: pos + 1 } : undefined);
    statements(tree.commands, tree.source ?? source, tree.source === undefined ? place : { ...place, isGiven: false });
  }

  function statements(list: readonly Statement[], source: string, place: WalkPosition): void {
    const before = jumps;
    let position = place;
    for (const { command, background } of list) {
      const own = background && { ...position, state: copyState(position.state), isBackground: true };
      if (own) inBackground.push(() => node(command, source, own));
      node(command, source, own || position);
      // Commands after a jump may not run.
      if (jumps !== before && position === place)
        position = { ...place, state: copyState(place.state), conditions: place.conditions + 1 };
    }
    if (position !== place) joinStates(place.state, [copyState(place.state), position.state]);
  }

  /**
   * Walks a loop with zero or more iterations. If their number is unknown, the body is walked again with the state
   * after the first one.
   */
  function perhaps(place: WalkPosition, walk: (position: WalkPosition) => void, isOnce = false): void {
    const [before, own] = [copyState(place.state), jumps];
    const position = { ...place, conditions: place.conditions + 1 };
    walk(position);
    const after = isOnce || rounds > roundLimits.around ? undefined : stateAfterIteration(place.state, before);
    if (after) {
      rounds *= 2;
      walk(position);
      rounds /= 2;
      joinBranch(place.state, after);
    }
    jumps = own;
    joinBranch(place.state, before);
  }

  function andOr({ commands: parts, operators }: AndOr, source: string, place: WalkPosition): void {
    const ways: ScriptState[] = [];
    let isUsual = true;
    for (const [index, each] of parts.entries()) {
      const before = commands.length;
      if (index === 0) node(each, source, place);
      else if (operators[index - 1] === "||") {
        const state = copyState(place.state);
        node(each, source, { ...place, state, conditions: place.conditions + 1 });
        joinBranch(place.state, state);
      } else node(each, source, ways.length === 0 ? place : { ...place, conditions: place.conditions + 1 });
      if (operators[index] !== "&&") continue;
      const left = commands.slice(before);
      const isNegated = each.type === "Pipeline" && each.prefixes.some(({ type }) => type === "Negation");
      isUsual &&= !isNegated && likelySucceeds(left);
      if (isNegated || !alwaysSucceeds(left)) addBranch(ways, place.state);
    }
    if (ways.length > 0) joinStates(place.state, [...ways, copyState(place.state)], isUsual);
  }

  function node(tree: CommandNode | Pipeline | AndOr, source: string, place: WalkPosition): void {
    if (isTooMuch(place.depth)) return;
    if (tree.type === "Command") return command(tree, source, place);
    if (tree.type === "AndOr") return andOr(tree, source, place);
    if (tree.type === "Pipeline") return pipeline(tree, source, place);
    const deeper: WalkPosition = { ...place, depth: place.depth + 1 };
    const body = (list: { readonly commands: readonly Statement[] }, position = deeper) =>
      statements(list.commands, source, position);
    switch (tree.type) {
      case "Redirected": {
        const scope = expansion(source, place);
        const opened = redirectionsOf(tree.redirects, scope);
        const opening = { ...bare(place), argv: [knownField(":")], redirections: opened, isGroup: true };
        if (opened.length > 0) record(opening, place);
        const input = inputOf(tree.redirects, scope, opening);
        const before = commands.length;
        node(tree.command, source, { ...deeper, ...(input && { stdin: input }) });
        const own = commands.slice(before);
        for (const file of visitor.writes(opening))
          contents.write({ ...file, text: () => outputs.of(own, place.conditions) }, place.state.cwd, false);
        return tree.redirects.some(redirectsOutput) ? outputs.lose(own) : undefined;
      }
      case "Subshell": {
        const [from, inside] = [traps.length, { ...deeper, state: copyState(place.state) }];
        body(tree.body, inside);
        return runTraps(from, inside);
      }
      case "BraceGroup":
        return body(tree.body);
      case "If": {
        body(tree.clause);
        for (const { clause } of tree.elif) body(clause);
        const ways = [tree.then, ...tree.elif.map(({ then }) => then), tree.else].map((list) => {
          const state = copyState(place.state);
          if (list) body(list, { ...deeper, state, conditions: place.conditions + 1 });
          return state;
        });
        return joinStates(place.state, ways);
      }
      case "While": {
        const lines = inputLines(deeper.stdin);
        const walk = (position: WalkPosition) => {
          forgetLoopVariables(tree, position.state);
          for (const stdin of lines) {
            body(tree.clause, { ...position, stdin });
            body(tree.body, { ...position, stdin });
          }
        };
        return perhaps(deeper, walk, lines.length > 1);
      }
      case "For":
      case "Select":
        return loop(tree, source, deeper);
      case "ArithmeticFor": {
        const before = copyState(place.state);
        evaluateTree(tree, expansion(source, place));
        // A jump out of the loop body skips the last part.
        joinBranch(place.state, before);
        return perhaps(deeper, (position) => {
          forgetLoopVariables(tree.body, position.state);
          body(tree.body, position);
        });
      }
      case "Case": {
        expandOne(tree.word, expansion(source, place));
        const ways = [
          copyState(place.state),
          ...tree.items.map((item) => {
            for (const pattern of item.pattern) expandOne(pattern, expansion(source, place));
            const state = copyState(place.state);
            body(item.body, { ...deeper, state, conditions: place.conditions + 1 });
            return state;
          }),
        ];
        return joinStates(place.state, ways);
      }
      case "Function":
        place.state.functions.set(tree.name.value, { body: tree.body, source, isCarried: false });
        return record(
          { ...bare(place), argv: [knownField("function"), knownField(tree.name.value)], ...spanOf(tree.name, place) },
          place,
        );
      case "Coproc":
        if (tree.name) expandOne(tree.name, expansion(source, place));
        return tree.body.type === "CompoundList"
          ? body(tree.body)
          : node(tree.body, source, { ...deeper, isBackground: true });
      case "TestCommand":
      case "ArithmeticCommand":
        return evaluateTree(tree, expansion(source, place));
    }
  }

  function pipeline(tree: Pipeline, source: string, place: WalkPosition): void {
    if (tree.commands.length > limits.maxStages) return doubts.add("too_many");
    if (tree.commands.length === 1) return stages(tree, source, place);
    contents.pipeline(() => stages(tree, source, place), commands);
  }

  function stages(tree: Pipeline, source: string, place: WalkPosition): void {
    let stdin = place.stdin;
    for (const [index, each] of tree.commands.entries()) {
      const before = commands.length;
      const isOwn = tree.commands.length === 1 || (isLastKept && index === tree.commands.length - 1);
      const state = isOwn ? place.state : copyState(place.state);
      node(each, source, { ...place, state, stdin });
      if (index === tree.commands.length - 1) return;
      const from = commands.slice(before).filter((ran) => ran.argv[0]?.text !== "function");
      const text = outputs.of(from, place.conditions);
      stdin = text === undefined ? { from: [...stdin.from, ...from] } : { text, from: [...stdin.from, ...from] };
    }
  }

  /** Walks a loop for each value if there are few and all are known, otherwise once with an unknown value. */
  function loop({ name: { value: name }, wordlist: list, body }: Loop, source: string, place: WalkPosition): void {
    const walk = (position: WalkPosition) => statements(body.commands, source, position);
    const fields = list?.flatMap((word) => expandWord(word, expansion(source, place)));
    const { values, start, isNumber } = loopValues(list, fields, place.state, rounds);
    if (values) {
      const [before, outer] = [jumps, rounds];
      rounds *= values.length;
      for (const value of values) {
        setVariable(place.state, name, value, isNumber);
        walk(place);
      }
      jumps = before;
      rounds = outer;
    } else {
      perhaps(place, (position) => {
        forgetLoopVariables(body, position.state);
        setVariable(position.state, name, start, isNumber);
        walk(position);
      });
    }
  }

  function command(tree: Command, source: string, place: WalkPosition): void {
    const scope = expansion(source, place);
    const { argv, own, assigned } = expandCommand(tree, scope);
    const redirections = redirectionsOf(tree.redirects, scope, argv.length === 0);
    const span = place.isGiven ? { start: tree.pos, end: tree.end } : undefined;
    if (argv.length === 0) {
      for (const { name, value, isItem, isNumber } of assigned)
        if (!isItem) setVariable(place.state, name, withHoles(value), isNumber);
      if (redirections.length > 0 || assigned.length > 0)
        run({ ...bare(place), argv: [knownField(":")], assignments: assigned, redirections, at: span }, place);
      return;
    }
    const stdin = (tree.redirects.length > 0 && inputOf(tree.redirects, scope, bare(place))) || place.stdin;
    const alias = aliasOf(tree.name, place.state);
    const given: SimpleCommand = { ...bare(place), argv, assignments: assigned, redirections, stdin, at: span };
    if (tree.redirects.some(redirectsOutput)) outputs.lose([given]);
    if (alias !== undefined && !place.via.includes(`alias ${argv[0]?.text}`)) {
      const via = [...place.via, `alias ${argv[0]?.text}`];
      script(aliasText(alias, argv.slice(own)), { ...place, via, isGiven: false, depth: place.depth + 1, stdin });
    }
    // Not every shell expands aliases.
    run(given, place);
    // Handles `${x:+name} rm y`.
    if (argv[0]?.maySplit && own === 1 && argv.length > 1 && literal(argv[0]) !== undefined)
      run({ ...given, argv: argv.slice(1) }, { ...place, state: copyState(place.state) });
  }

  /** Records a command, applies its effect to the state, and walks the commands that it runs. */
  function run(ran: SimpleCommand, place: WalkPosition): void {
    const name = literal(ran.argv[0] ?? knownField(""));
    const called = name === undefined ? undefined : place.state.functions.get(name);
    const isRecursion = called !== undefined && calling.includes(called.body);
    const recorded = isRecursion ? { ...ran, isRecursion } : ran;
    record(recorded, place);
    if (name !== undefined) {
      if (called) {
        outputs.pass(recorded);
        return call(called, ran, place);
      }
      if (name === "break" || name === "continue" || name === "return") jumps += 1;
      if (name === "shopt" && ran.argv.some(({ text }) => text === "lastpipe")) isLastKept = true;
      if (isEvaluating(name)) evaluateArguments(name, ran.argv, createExpansion("", place, host));
      changeState(name, ran, place.state, (each) => visitor.output(each));
    }
    const payloads = visitor.payloads(ran);
    if (payloads.length > 0) outputs.pass(recorded);
    for (const payload of payloads) {
      const stdin = payload.stdin ?? ran.stdin;
      const depth = place.depth + 1;
      if (isTooMuch(depth)) return;
      const via = [...place.via, payload.via];
      const position = { ...place, via, stdin, depth, state: stateFor(payload, ran, place) };
      if ("text" in payload) {
        if (payload.via === "trap") traps.push(payload.text);
        if (isPartlyKnown(payload)) doubts.add("unknown_code", payload.via, ran.at);
        scripts.add(payload.text);
        for (const text of [payload.text, ...likelyCode(payload, ran, visitor, guessed)])
          script(text, { ...position, isGiven: false });
      } else if (payload.argv.length > 0) {
        const { argv, assignments = [] } = payload;
        run({ ...ran, argv, assignments, redirections: [], cwd: position.state.cwd, stdin, via }, position);
      }
    }
  }

  function call(definition: DefinedFunction, ran: SimpleCommand, place: WalkPosition): void {
    const { state } = place;
    const [positional, before, from] = [state.positional, jumps, commands.length];
    const outer = ran.assignments.map(({ name }) => [name, state.variables.get(name)] as const);
    for (const { name, value } of ran.assignments) setVariable(state, name, withHoles(value));
    state.positional = ran.argv.slice(1).map(({ text }) => text);
    const position = { stdin: ran.stdin, depth: place.depth + 1, isGiven: place.isGiven && !definition.isCarried };
    const inside: WalkPosition = { ...place, ...position };
    for (let each: DefinedFunction | undefined = definition; each; each = each.otherwise) {
      const { body, source } = each;
      if (calling.indexOf(body) < calling.lastIndexOf(body)) continue;
      calling.push(body);
      if (body.type === "CompoundList") statements(body.commands, source, inside);
      else node(body, source, inside);
      calling.pop();
    }
    // bash restores variables that were set only for the call; other shells do not.
    for (const [name, value] of outer) if (state.variables.get(name) !== value) setVariable(state, name, undefined);
    if (ran.redirections.some(({ how }) => how !== "read")) outputs.lose(commands.slice(from));
    state.positional = positional;
    jumps = before;
  }

  function record(ran: SimpleCommand, { conditions }: WalkPosition): void {
    commands.push(ran);
    spent += charsOf(ran);
    outputs.record(ran, conditions);
    for (const file of visitor.writes(ran)) contents.write(file, ran.cwd, conditions === 0, ran);
  }

  const host: ExpansionHost = {
    printed(tree, source, place) {
      const [own, before] = [jumps, commands.length];
      parsed(tree, source, { ...place, state: copyState(place.state), depth: place.depth + 1 });
      jumps = own;
      return outputs.taken(commands.slice(before), place.conditions);
    },
    substituted: (text) => contents.substituted(text),
    isTooMuch,
    doubt: (about) => doubts.add("unknown_value", about),
  };

  function result(): Walk {
    // Background commands may use the output of later commands.
    if (inBackground.length > 0 && contents.isShared(commands)) for (const walk of inBackground.splice(0)) walk();
    return { commands, doubts: doubts.list, tree: root, scripts };
  }

  return { script, result };
}
