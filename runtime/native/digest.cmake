# Writes OUTPUT, a header with a digest of the C library LIBRARY: of the names and contents of its
# headers and sources. The tests of the package compare it with the sources that they find.
file(GLOB_RECURSE sources RELATIVE "${LIBRARY}"
  "${LIBRARY}/include/*.h" "${LIBRARY}/src/*.h" "${LIBRARY}/src/*.c")
list(SORT sources)
set(listing "")
foreach(source IN LISTS sources)
  file(SHA256 "${LIBRARY}/${source}" digest)
  string(APPEND listing "${digest}  ${source}\n")
endforeach()
string(SHA256 digest "${listing}")
file(WRITE "${OUTPUT}" "#define OPMILL_SOURCES_SHA256 \"${digest}\"\n")
