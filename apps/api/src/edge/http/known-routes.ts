interface Route {
  methods: readonly string[];
  segments: readonly string[];
}

/** The methods and paths that exist, so that a wrong method can be told from a wrong path. */
export class KnownRoutes {
  private readonly routes: Route[] = [];

  /** `path` may hold `:parameters`. */
  add(methods: string | readonly string[], path: string): void {
    this.routes.push({ methods: [methods].flat(), segments: path.split('/') });
  }

  methodsAt(path: string): string[] {
    const asked = path.split('/');
    return [...new Set(this.routes.filter((route) => matches(route, asked)).flatMap((route) => route.methods))].sort();
  }
}

function matches({ segments }: Route, asked: readonly string[]): boolean {
  return (
    segments.length === asked.length &&
    segments.every((segment, index) => (segment.startsWith(':') ? asked[index] !== '' : segment === asked[index]))
  );
}
