import { Injectable, type PipeTransform } from '@nestjs/common';
import { isUlid, type RunId } from '#libs/kernel';
import { InvalidRequestError } from '../errors/request-errors.js';

@Injectable()
export class RunIdPipe implements PipeTransform<string, RunId> {
  transform(id: string): RunId {
    if (!isUlid(id)) throw new InvalidRequestError(['The run id must be a ULID: 26 characters, upper case.']);
    return id as RunId;
  }
}
