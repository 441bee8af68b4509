import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { Clock } from '#libs/kernel';
import { AuthGuard } from './edge/auth/auth.guard.js';
import { Authenticator } from './edge/auth/authenticator.js';
import { RunTokens } from './edge/auth/run-tokens.js';
import { TokenDirectory } from './edge/auth/token-directory.js';
import { ChecksController } from './resources/manifests/manifests.controller.js';
import { DiscoveryController } from './resources/discovery/discovery.controller.js';
import { ErrorFilter } from './edge/http/error.filter.js';
import { KnownRoutes } from './edge/http/known-routes.js';
import { DEFAULT_LIMITS, type HttpLimits } from './edge/http/limits.js';
import { Listeners } from './edge/http/listeners.js';
import { PublicAddress } from './edge/http/public-address.js';
import { OpenApiText } from './edge/openapi/openapi-text.js';
import { HistoryController } from './resources/history/history.controller.js';
import { QuestionsController } from './resources/questions/questions.controller.js';
import { RunBatchesController } from './resources/runs/run-batches.controller.js';
import { RunHousekeepingController } from './resources/runs/run-housekeeping.controller.js';
import { RunInternalsController } from './resources/runs/run-internals.controller.js';
import { RunOutputsController } from './resources/runs/run-outputs.controller.js';
import { RunsController } from './resources/runs/runs.controller.js';
import { OperatorsController } from './resources/system/operators.controller.js';
import { SystemController } from './resources/system/system.controller.js';
import { OpenRoutes } from './edge/operations/open-routes.js';
import { ShapePipe } from './edge/schema/shape.pipe.js';
import { StreamAttachment } from './streams/attach.js';
import { RunStreams } from './streams/run-streams.js';
import { StreamsPerToken } from './streams/streams-per-token.js';
import { StreamsController } from './resources/run-events/tenant-events.controller.js';

export interface HttpModuleOptions {
  /**
   * Modules that export what the controllers stand on: {@link RunSubmission}, {@link RunControl}, {@link RunQueries},
   * {@link RunQuestions}, {@link RunHistory}, {@link RunHousekeeping}, {@link RunLog}, {@link ManifestChecks},
   * {@link SystemReport}, {@link RunStorage}, {@link ProcessReadiness}, {@link MetricsText}, {@link RequestMeter},
   * {@link TokenDirectory}, {@link RunLines}, {@link EventNotices}, {@link RequestLog} and {@link Clock}.
   */
  imports: NonNullable<ModuleMetadata['imports']>;
  /** Where the world reaches this server, when that is known. */
  webUrl?: string;
  limits?: HttpLimits;
}

/** The HTTP edge. Everything is guarded, checked and answered with the envelope, whatever controller is added. */
@Module({})
export class HttpModule {
  static register({ imports, webUrl, limits = DEFAULT_LIMITS }: HttpModuleOptions): DynamicModule {
    return {
      module: HttpModule,
      imports: [...imports, DiscoveryModule],
      controllers: [
        DiscoveryController,
        ChecksController,
        RunsController,
        RunInternalsController,
        RunOutputsController,
        RunHousekeepingController,
        RunBatchesController,
        QuestionsController,
        HistoryController,
        SystemController,
        OperatorsController,
        StreamsController,
      ],
      providers: [
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_PIPE, useClass: ShapePipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
        {
          provide: Authenticator,
          useFactory: (tokens: TokenDirectory, clock: Clock) =>
            new Authenticator(tokens, clock, limits.wrongTokensPerMinute),
          inject: [TokenDirectory, Clock],
        },
        { provide: StreamsPerToken, useValue: new StreamsPerToken(limits.streamsPerToken) },
        { provide: PublicAddress, useValue: new PublicAddress(webUrl) },
        KnownRoutes,
        Listeners,
        RunTokens,
        OpenApiText,
        OpenRoutes,
        RunStreams,
        StreamAttachment,
      ],
    };
  }
}
