import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { IsolatedWork, OverBoundsError, type Limits, type Program } from '#libs/isolation';
import { type TenantId } from '#libs/kernel';
import { type Graph } from '#libs/language';
import { type Drawing } from './draw-picture.js';
import { GraphTooLargeError } from './errors.js';
import { subjectOf, type DrawingOptions, type Subject } from './subject.js';

/** Characters of SVG that are kept. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/** Graphviz recurses along the graph; the usual stack is too small for some hundreds of nodes. */
const LIMITS: Limits = {
  ...{ atOnce: 2, mayWait: 16, timeMs: 15_000, heapMb: 128, wasmMb: 256, stackMb: 32 },
  // The memory of WebAssembly only grows.
  idleMs: 0,
};

/** The program of a compiled Runyard. */
function compiledDrawing(): Program {
  return { module: new URL('./draw-picture.js', import.meta.url) };
}

/** Draws graphs as SVG that is safe to show in a page: no script, no link, no outside reference. */
export class Drawings {
  private readonly work: IsolatedWork<Subject, Drawing>;
  private readonly underway = new Map<string, Promise<string>>();
  private readonly kept = new LRUCache<string, string>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (svg) => svg.length,
  });

  constructor(program: Program = compiledDrawing(), limits: Partial<Limits> = {}) {
    this.work = new IsolatedWork(program, { ...LIMITS, ...limits });
  }

  /**
   * The same again is drawn once, as long as it is among the last 16 MiB. Throws {@link GraphTooLargeError} before
   * anything is drawn for a graph of more than 2,000 nodes, 6,000 edges, or 6,000,000 as the product of both, and for one
   * that takes longer than 15 seconds or more memory than a drawing may; a {@link NoPlaceError} when two are being drawn
   * 16 of this tenant wait. The tenants that wait take turns.
   */
  async draw(graph: Graph, options: DrawingOptions = {}, tenantId?: TenantId): Promise<string> {
    return this.drawSubject(subjectOf(graph, options), tenantId);
  }

  /** The same for what is to be drawn. */
  async drawSubject(subject: Subject, tenantId?: TenantId): Promise<string> {
    const key = createHash('sha256').update(JSON.stringify(subject)).digest('base64');
    const known = this.kept.get(key) ?? this.underway.get(key);
    if (known !== undefined) return known;
    const drawn = this.drawn(subject, tenantId).finally(() => this.underway.delete(key));
    this.underway.set(key, drawn);
    const svg = await drawn;
    this.kept.set(key, svg);
    return svg;
  }

  /** Ends the drawings that are being made; later ones are refused. */
  close(): void {
    this.work.close();
  }

  private async drawn(subject: Subject, tenantId?: TenantId): Promise<string> {
    const drawing = await this.work.run(subject, tenantId).catch((thrown: unknown) => {
      if (!(thrown instanceof OverBoundsError)) throw thrown;
      throw new GraphTooLargeError(`To draw the graph takes more ${thrown.by} than a drawing may.`, { cause: thrown });
    });
    if ('svg' in drawing) return drawing.svg;
    throw new GraphTooLargeError('The graph is too tangled to be drawn.', { cause: drawing.collapse });
  }
}
