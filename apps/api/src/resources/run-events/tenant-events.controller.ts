import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { Operation } from '../../edge/operations/operation.js';
import { EventEnvelope } from './dto/event-envelope.js';
import { StreamAttachment } from '../../streams/attach.js';
import { AttachAllQuery } from './dto/attach-query.js';

@ApiTags('System')
@Controller('api/v1')
export class StreamsController {
  constructor(@Inject(StreamAttachment) private readonly streams: StreamAttachment) {}

  @Get('attach')
  @Operation('attachEvents', 'Follow the events of all runs', { role: 'viewer', errors: [400] })
  @ApiOkResponse({
    description:
      'One frame per event from now on, without an id: the events of one run are in order, and nobody can come back to a place. Never ends by itself; a client that falls behind is cut off, and reloads its lists when it comes again.',
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(EventEnvelope) } } },
  })
  async attach(
    @Query() { run_id }: AttachAllQuery,
    @From() { tenantId }: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const start = { tenantId, ...(run_id !== undefined && { runIds: new Set(run_id.split(',')) }) };
    await this.streams.serveAll(start, request, reply);
  }
}
