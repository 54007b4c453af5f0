#!/usr/bin/env node
import '@affine/verifier/cli'
