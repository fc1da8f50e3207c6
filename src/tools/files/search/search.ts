import type { Result } from "../../../base/result.ts";
import type { FileFilter } from "./file-filter.ts";

export interface Query {
  /** The pattern in ripgrep's syntax. */
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** True if a match may span lines. */
  readonly multiline: boolean;
  /** The number of lines shown around each match. */
  readonly context: number;
}

/** The files to search. */
export interface SearchScope {
  readonly hidden: boolean;
  readonly noIgnore: boolean;
  readonly filter: FileFilter;
}

/** Where a search starts: a folder with everything below it, or one file in it. */
export interface Root {
  readonly folder: string;
  readonly file?: string;
  /**
   * The path as the caller wrote it: of the file, or of the folder with a slash at its end. Empty for the current
   * folder.
   */
  readonly asked: string;
}

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

export interface Line {
  readonly line: number;
  readonly content: string;
}

/** A line with a match, or the lines of a multi-line match. */
export interface Hit extends Line {
  /** The path below the folder of the root. */
  readonly path: string;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
}

export interface SearchResult {
  /** The files with matches and their number, in the order of paths. */
  readonly files: readonly { readonly path: string; readonly hits: number }[];
  /** The matches of the page, in order. */
  readonly hits: readonly Hit[];
  /** The number of searched files. Undefined if unknown. */
  readonly searched: number | undefined;
  /** The number of files and folders that could not be read. */
  readonly unreadable: number;
  /** The reason why there may be more results. */
  readonly stopped?: "time" | "size";
  /** Files that were too big to be copied. */
  readonly tooBig?: readonly string[];
}

export interface Listed {
  /** The paths below the folder of the root, in the order of their names. */
  readonly paths: readonly string[];
  readonly unreadable: number;
  readonly stopped?: "time" | "size";
}

export interface SearchFault {
  /** `no_engine`: this engine cannot be used here; another one may work. */
  readonly kind: "pattern" | "no_engine" | "aborted" | "failed";
  readonly message: string;
}

/** All engines return the same results in the same order. */
export interface SearchEngine {
  readonly name: string;
  /** Searches. Without a page, counts matches per file without collecting them. */
  search(
    root: Root,
    query: Query,
    scope: SearchScope,
    window: Window | undefined,
  ): Promise<Result<SearchResult, SearchFault>>;
  list(root: Root, scope: SearchScope): Promise<Result<Listed, SearchFault>>;
}
