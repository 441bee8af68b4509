import { ConditionReader } from './conditions/condition-reader.js';
import { type Finding } from './diagnostics/finding.js';
import { type CompileEffort } from './effort.js';
import { type Span } from './source/source-text.js';
import { Sources } from './source/sources.js';
import { InputsRead } from './templates/inputs-read.js';
import { TemplateWork } from './templates/jinja/template-work.js';

/**
 * Some things are written once and copied to many places: defaults, imported nodes, inlined files. A short source could
 * describe a graph of gigabytes; one compilation may copy this many UTF-16 code units.
 */
export const MAX_COPIED_TEXT = 32 * 1024 * 1024;
/** One graph may have this many nodes after its imports, and its children this many among them. */
export const MAX_EXPANDED_NODES = 10_000;
/** Nodes and edges that are copied on the way to it: an import of imports is copied once for each level. */
const MAX_COPIED_PARTS = 8 * MAX_EXPANDED_NODES;

/** Findings of one rule that are reported; the rest is counted. */
export const MAX_REPORTED = 1_000;

/** What a compilation has too much of, and where that came to light. */
export interface Outgrown {
  by: 'nodes' | 'text';
  at: Span;
}

/** What the steps of one compilation share. */
export class CompileState {
  readonly sources: Sources;
  readonly templateWork: TemplateWork;
  readonly conditions: ConditionReader;
  /** A child workflow has no inputs, so what it reads is its own. */
  readonly inputs = new InputsRead();
  private readonly findings = new Map<string, Finding[]>();
  private readonly copied: { text: number; parts: number; outgrown?: Outgrown };
  private readonly reported: Map<string, number>;

  /** A child workflow is compiled within its parent: it has findings of its own, and shares texts and limits. */
  constructor(
    private readonly parent?: CompileState,
    effort: CompileEffort = 'whole',
  ) {
    this.sources = parent?.sources ?? new Sources();
    this.templateWork = parent?.templateWork ?? TemplateWork.of(effort);
    this.conditions = parent?.conditions ?? new ConditionReader(effort);
    this.copied = parent?.copied ?? { text: 0, parts: 0 };
    this.reported = parent?.reported ?? new Map<string, number>();
  }

  /** Whether the effort did not suffice for all that templates and conditions ask for. */
  get isCutShort(): boolean {
    return this.templateWork.isSpent || this.conditions.isSpent;
  }

  /** Counts a finding of a rule and says whether it is reported. */
  mayReport(rule: string): boolean {
    const count = (this.reported.get(rule) ?? 0) + 1;
    this.reported.set(rule, count);
    return count <= MAX_REPORTED;
  }

  /** Findings that were counted and not reported. */
  get leftOut(): number {
    let count = 0;
    for (const found of this.reported.values()) count += Math.max(0, found - MAX_REPORTED);
    return count;
  }

  /** The state of a child workflow: what concerns the whole compilation is for the outermost to report. */
  get isNested(): boolean {
    return this.parent !== undefined;
  }

  /** How copying outgrew its limits; from there on nothing was copied. */
  get outgrown(): Outgrown | undefined {
    return this.copied.outgrown;
  }

  /** Takes note of a copy and says whether it may be made. */
  mayCopy(size: number, at: Span): boolean {
    this.copied.text += size;
    if (this.copied.text > MAX_COPIED_TEXT) this.outgrow('text', at);
    return this.outgrown === undefined;
  }

  /** Whether a graph may have so many nodes, for which so many nodes and edges are to be copied. To ask counts them. */
  mayExpand(nodes: number, parts: number, at: Span): boolean {
    this.copied.parts += parts;
    if (nodes > MAX_EXPANDED_NODES || this.copied.parts > MAX_COPIED_PARTS) this.outgrow('nodes', at);
    return this.outgrown === undefined;
  }

  private outgrow(by: Outgrown['by'], at: Span): void {
    this.copied.outgrown ??= { by, at };
  }

  /** Keeps what a step objects to, for the rule that reports it. */
  find(rule: string, finding: Finding): void {
    const found = this.findings.get(rule);
    if (found) found.push(finding);
    else this.findings.set(rule, [finding]);
  }

  found(rule: string): readonly Finding[] {
    return this.findings.get(rule) ?? [];
  }
}
