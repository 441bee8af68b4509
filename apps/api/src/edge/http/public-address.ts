/** Where the world reaches this server; without an address of its own it gives paths. */
export class PublicAddress {
  constructor(private readonly webUrl?: string) {}

  of(path: string): string {
    return `${this.webUrl?.replace(/\/+$/, '') ?? ''}${path}`;
  }
}
