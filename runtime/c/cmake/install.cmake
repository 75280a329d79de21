# The library, its headers, the package for find_package(opmill) and the file for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS opmill EXPORT opmill)
install(DIRECTORY include/opmill DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/opmill")
install(EXPORT opmill NAMESPACE opmill:: FILE opmill-targets.cmake DESTINATION "${package}")

# A static library leaves threads and the mathematical library to whoever links it.
set(needed_package "")
set(private_libs "")
if(UNIX AND NOT BUILD_SHARED_LIBS)
  set(private_libs -lm)
endif()
if(threads_package AND NOT BUILD_SHARED_LIBS)
  set(needed_package ${threads_package})
  list(APPEND private_libs ${threads_flags})
endif()
list(JOIN private_libs " " private_libs)
configure_package_config_file(cmake/opmill-config.cmake.in opmill-config.cmake
  INSTALL_DESTINATION "${package}" NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Below 1.0 a new minor version may break its callers.
write_basic_package_version_file(opmill-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/opmill-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/opmill-config-version.cmake"
        DESTINATION "${package}")

# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(opmill.pc.in opmill.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/opmill.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
