# Writes OUTPUT, a header with the commit that is being built, and touches it only when the commit changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --dirty
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "${FALLBACK}")
endif()
set(text "#define BSBLAS_COMMIT \"${commit}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE ${OUTPUT} "${text}")
endif()
